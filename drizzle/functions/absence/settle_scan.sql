-- Absence: ends the bindings that a daemon's scan did not see again on the hosts that it found, if its coverage was at
-- least as wide as that of the same daemon's scan that last saw them. Bindings that other daemons found or that users
-- wrote are kept, since the scan may not have covered them.
create or replace function app.settle_scan(scan uuid) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  settled record;
  found_hosts uuid[];
  candidates app.unseen_record[];
  ending uuid[];
  ended integer := 0;
begin
  select session.daemon_id, session.network_id, session.subnet_ids, session.initiated_at, handed.started_at,
    scope.id as scope_id, scope.is_full,
    coalesce(gaps.host_ids, '{}') as gap_hosts, coalesce(gaps.addresses, '{}') as gap_addresses,
    coalesce(gaps.is_unbounded, false) as is_unbounded
  into settled
  from public.discovery_sessions as session
  left join app.handed_scans as handed
    on handed.organization_id = session.organization_id and handed.session_id = session.id
  left join app.scan_scopes as scope
    on scope.organization_id = handed.organization_id and scope.id = handed.scope_id
  left join app.scan_gaps as gaps
    on gaps.organization_id = session.organization_id and gaps.session_id = session.id
  where session.organization_id = organization and session.id = scan and session.phase = 'Complete';
  if not found then
    return 0;
  end if;
  if settled.scope_id is not null and not settled.is_unbounded then
    found_hosts := array(
      select found.host_id from app.scan_hosts as found
      where found.organization_id = organization and found.session_id = scan);
    perform app.lock_hosts(found_hosts);
    found_hosts := array(
      select host.id from public.hosts as host
      where host.organization_id = organization and host.network_id = settled.network_id
        and host.current_id = any (found_hosts) and host.id <> all (settled.gap_hosts)
      except
      select address.live_host_id from public.ip_addresses as address
      where address.organization_id = organization and address.network_id = settled.network_id
        and address.valid_to is null and address.address = any (settled.gap_addresses));
    candidates := array(
      select (binding.id, binding.host_id, earlier.scope_id)::app.unseen_record
      from public.bindings as binding
      left join app.handed_scans as earlier
        on earlier.organization_id = organization and earlier.session_id = binding.last_discovery_id
          and earlier.daemon_id = settled.daemon_id
      left join app.scan_scopes as scope
        on scope.organization_id = organization and scope.id = earlier.scope_id
      where binding.organization_id = organization and binding.live_host_id = any (found_hosts)
        and binding.valid_to is null and binding.first_discovery_id is not null
        and binding.last_discovery_id <> scan
        -- Excludes bindings on which the daemon has responded in the meantime, even if the scan did not see them.
        and binding.last_seen_at <= coalesce(settled.initiated_at, 'infinity')
        -- Reports from before the daemon's first scan are treated as having the narrowest coverage.
        and (binding.last_discovery_id = settled.daemon_id
          or (earlier.started_at < settled.started_at and (settled.is_full or not scope.is_full)))
        -- A scan of specific subnets does not cover addresses outside them.
        and (settled.subnet_ids is null or not exists (
          select from public.ip_addresses as address
          where address.organization_id = organization and address.live_host_id = binding.host_id
            and (binding.ip_address_id is null or address.id = binding.ip_address_id)
            and not exists (
              select from public.subnets as scanned
              where scanned.organization_id = organization and scanned.id = any (settled.subnet_ids)
                and scanned.valid_to is null and scanned.cidr >>= address.address)))
        -- Excludes bindings whose previous host was not found itself, but was consolidated into a host that the scan
        -- found. Service versions show this, since binding versions do not name hosts.
        and not exists (
          select from public.bindings as version
          join public.services as former
            on former.organization_id = organization and former.live_id = version.service_id
          where version.organization_id = organization and version.live_id = binding.live_id
            and former.valid_to > settled.started_at and former.host_id <> binding.host_id
            and (former.host_id = any (settled.gap_hosts) or not exists (
              select from app.scan_hosts as found where found.organization_id = organization
                and found.session_id = scan and found.host_id = former.host_id))));
    ending := app.looked_for(settled.scope_id, candidates);
    delete from public.bindings as binding
    where binding.organization_id = organization and binding.id = any (ending);
    get diagnostics ended = row_count;
  end if;
  delete from app.scan_gaps as gaps
  where gaps.organization_id = organization and gaps.session_id = scan;
  delete from app.scan_hosts as found
  where found.organization_id = organization and found.session_id = scan;
  return ended;
end
$$;

alter function app.settle_scan owner to inventory_ingest;
grant execute on function app.settle_scan to inventory_poller;
