-- Absence: returns the bindings to end. They were created by discovery, and their port was scanned and is not open.
-- Bindings that were seen after the report was made are kept, and so are all bindings of a host for which another entry
-- failed.
create or replace function app.absent_bindings(
  context app.ingest_context, hosts app.ingested_host[], planned_hosts app.ingested_record[],
  planned_ports app.ingested_record[], pairs app.ingested_pair[], failed int[])
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  open_ports uuid[] := array(select open.id from unnest(planned_ports) as open);
  contested uuid[] := app.contested_hosts(hosts, pairs, failed);
begin
  return array(
    select known.id
    from unnest(planned_hosts) as host
    join unnest(hosts) as sent on sent.index = host.index
    cross join lateral (
      select bound.* from public.bindings as bound
      where bound.organization_id = (select context.organization_id) and bound.live_host_id = host.id
      offset 0) as known
    cross join lateral (
      select stored.* from public.ports as stored
      where stored.organization_id = (select context.organization_id) and stored.id = known.port_id
      offset 0) as port
    where not host.is_new and (sent.tcp is not null or sent.udp is not null)
      and known.first_discovery_id is not null and known.last_seen_at <= context.seen_at
      and case port.protocol when 'Tcp' then sent.tcp else sent.udp end @> port.number
      and port.id <> all (open_ports)
      and host.id <> all (contested));
end
$$;

grant execute on function app.absent_bindings to inventory_api;
