-- Stores a report's new ports, and updates the last sighting of its other ports.
create or replace function app.write_ports(
  context app.ingest_context, planned_ports app.ingested_record[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  added integer;
begin
  insert into public.ports (organization_id, network_id, id, host_id, number, protocol, last_seen_at,
    first_discovery_id, last_discovery_id)
  select context.organization_id, context.network_id,
    planned.id, planned.host_id, (planned.changes->>'number')::int,
    planned.changes->>'protocol', context.seen_at, context.discovery_id, context.discovery_id
  from unnest(planned_ports) as planned where planned.is_new;
  get diagnostics added = row_count;
  perform app.refresh_statistics('ports', added);
  update public.ports as known
  set last_seen_at = context.seen_at, last_discovery_id = context.discovery_id
  from unnest(planned_ports) as planned
  where known.organization_id = (select context.organization_id) and known.id = planned.id
    and not planned.is_new and known.last_seen_at < context.seen_at;
end
$$;

grant execute on function app.write_ports(app.ingest_context, app.ingested_record[]) to inventory_api;
