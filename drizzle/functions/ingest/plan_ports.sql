-- Plans the ports of the planned hosts, by number and protocol.
create or replace function app.plan_ports(
  context app.ingest_context, ports app.reported_port[], planned_hosts app.ingested_record[])
returns app.ingested_record[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    select (sent.index, sent.number || '/' || sent.protocol, host.id,
      coalesce(stored.id, app.uuid_v7()), stored.id is null,
      jsonb_build_object('number', sent.number, 'protocol', sent.protocol), null)::app.ingested_record
    from unnest(ports) as sent
    join unnest(planned_hosts) as host on host.index = sent.index
    left join lateral (
      select known.id from public.ports as known
      where known.organization_id = (select context.organization_id) and known.live_host_id = host.id
        and known.number = sent.number and known.protocol = sent.protocol
      offset 0) as stored on true);
end
$$;

grant execute on function app.plan_ports to inventory_api;
