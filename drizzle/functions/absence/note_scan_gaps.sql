-- Records hosts that the visited daemon's open scans saw but that could not be stored. Settling one of these scans does
-- not end any bindings on these hosts. `seen_hosts` is null if the hosts cannot be identified; the scans then do not
-- end any bindings at all.
create or replace function app.note_scan_gaps(seen_hosts uuid[], seen_addresses inet[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  maximum constant integer := 10000;
  scan record;
  hosts uuid[];
  addresses inet[];
  is_unbounded boolean;
begin
  for scan in
    select session.organization_id, session.id, gaps.host_ids, gaps.addresses, gaps.is_unbounded
    from app.daemon_visits as visit
    join public.discovery_sessions as session
      on session.organization_id = visit.organization_id and session.daemon_id = visit.daemon_id
    left join app.scan_gaps as gaps
      on gaps.organization_id = session.organization_id and gaps.session_id = session.id
    where visit.transaction_id = pg_current_xact_id_if_assigned()
      and session.started_at is not null
      and (session.finished_at is null or (session.phase = 'Complete' and session.settled_at is null))
  loop
    hosts := array(
      select unnest(scan.host_ids) union select unnest(seen_hosts));
    addresses := array(
      select unnest(scan.addresses) union
      select seen.address from unnest(seen_addresses) as seen (address)
      where not app.is_loopback(seen.address));
    is_unbounded := coalesce(scan.is_unbounded, false) or seen_hosts is null
      or cardinality(hosts) > maximum or cardinality(addresses) > maximum;
    if is_unbounded then
      hosts := '{}';
      addresses := '{}';
    end if;
    -- A daemon may report the same hosts with every poll.
    if scan.host_ids is null or cardinality(hosts) <> cardinality(scan.host_ids)
      or cardinality(addresses) <> cardinality(scan.addresses) or is_unbounded <> scan.is_unbounded
    then
      insert into app.scan_gaps values (scan.organization_id, scan.id, hosts, addresses, is_unbounded)
      on conflict (organization_id, session_id) do update set host_ids = excluded.host_ids,
        addresses = excluded.addresses, is_unbounded = excluded.is_unbounded;
    end if;
  end loop;
end
$$;

grant execute on function app.note_scan_gaps to inventory_poller, inventory_ingest;
