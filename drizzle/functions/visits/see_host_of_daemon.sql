-- Records a sighting of a daemon's host when the daemon has responded, since the response proves that the host is
-- there. If the daemon's URL contains an address of that host, this also records a sighting of the port on which it
-- responded, with its bindings and their services. A host name, or another host's address, may belong to a proxy. No
-- sighting is recorded for addresses: if one address of a host has a later sighting than another, this means that the
-- host has left the other address (app.pair_addresses).
--
-- A sighting is not a change, except for a stale host: the sighting then starts a new version, with this daemon as its
-- actor. This function writes at most once a minute, and skips rows that other transactions are changing, so that the
-- poll is recorded without waiting for them.
create or replace function app.see_host_of_daemon(organization uuid, daemon uuid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  latest constant timestamptz := now() - interval '1 minute';
  polled record;
  seen record;
begin
  select known.network_id, known.host_id, host.is_stale, lower(url.parts[1]) = 'https' as is_encrypted,
    lower(coalesce(url.parts[2], url.parts[3])) as address, url.parts[4]::int as port
  into polled
  from public.daemons as known
  join public.hosts as host
    on host.organization_id = known.organization_id and host.current_id = known.host_id
  left join lateral regexp_match(known.url,
    '^(https?)://(?:(\d+\.\d+\.\d+\.\d+)|\[([0-9a-f:.]+)\])(?::(\d{1,5}))?(?:[/?#]|$)', 'i') as url (parts) on true
  where known.organization_id = organization and known.id = daemon and host.last_seen_at < latest
  for no key update of host skip locked;
  if not found then
    return;
  end if;
  perform set_config('app.key_hash', '', true);
  -- One transaction records the polls of several daemons, and a timestamp has one actor: so each daemon that changes a
  -- host gets its own timestamp.
  if polled.is_stale then
    perform set_config('app.recorded_organization', '', true), set_config('app.stamped_organization', '', true);
  end if;
  insert into app.daemon_visits (organization_id, network_id, daemon_id)
  values (organization, polled.network_id, daemon);
  begin
    update public.hosts as host set last_seen_at = now()
    where host.organization_id = organization and host.current_id = polled.host_id;
  exception when serialization_failure then
    -- The stale host was changed after this transaction's timestamp. The next poll records the sighting; the polls that
    -- are recorded together with this one must not fail because of it.
    perform app.leave_visit();
    return;
  end;
  select array_agg(open.binding_id) as bindings, array_agg(open.port_id) as ports,
    array_agg(open.service_id) as services
  into seen
  from (
    select bound.id as binding_id, port.id as port_id, holder.id as service_id
    from public.ip_addresses as address
    join public.ports as port on port.organization_id = address.organization_id
      and port.live_host_id = address.live_host_id and port.protocol = 'Tcp'
      and port.number = coalesce(polled.port, case when polled.is_encrypted then 443 else 80 end)
    join public.bindings as bound on bound.organization_id = port.organization_id
      and bound.live_port_id = port.id
      and (bound.ip_address_id is null or bound.ip_address_id = address.id)
    join public.services as holder on holder.organization_id = bound.organization_id
      and holder.current_id = bound.live_service_id
    where address.organization_id = organization and address.live_host_id = polled.host_id
      and host(address.address) = polled.address and not app.is_loopback(address.address)
    for no key update of port, bound, holder skip locked) as open;
  update public.bindings as known set last_seen_at = now()
  where known.organization_id = organization and known.id = any (seen.bindings) and known.last_seen_at < now();
  update public.ports as known set last_seen_at = now()
  where known.organization_id = organization and known.id = any (seen.ports) and known.last_seen_at < now();
  update public.services as known set last_seen_at = now()
  where known.organization_id = organization and known.id = any (seen.services) and known.last_seen_at < now();
  perform app.leave_visit();
end
$$;

grant execute on function app.see_host_of_daemon to inventory_poller;
