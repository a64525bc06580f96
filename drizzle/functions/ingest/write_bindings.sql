-- Ends bindings and emptied services, moves and refreshes bindings that were seen, and stores new ones.
create or replace function app.write_bindings(
  context app.ingest_context, planned_bindings app.ingested_binding[], seen_bindings uuid[],
  ended_bindings uuid[], emptied_services uuid[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  added integer;
begin
  delete from public.bindings as known
  where known.organization_id = (select context.organization_id) and known.id = any (ended_bindings);
  update public.bindings as known set
    service_id = coalesce(planned.service_id, known.service_id),
    last_seen_at = greatest(known.last_seen_at, context.seen_at),
    last_discovery_id = case when known.last_seen_at < context.seen_at then context.discovery_id
      else known.last_discovery_id end
  from (
    select seen.id, taken.service_id from unnest(seen_bindings) as seen (id)
    left join unnest(planned_bindings) as taken
      on taken.taken_id = seen.id and taken.fate = 'taken_over') as planned
  where known.organization_id = (select context.organization_id) and known.id = planned.id
    and (planned.service_id is not null or known.last_seen_at < context.seen_at);
  delete from public.services as known
  where known.organization_id = (select context.organization_id) and known.id = any (emptied_services)
    and not exists (
      select from public.bindings as bound
      where bound.organization_id = (select context.organization_id) and bound.live_service_id = known.id)
    and not exists (
      select from public.service_tags as tagged
      where tagged.organization_id = (select context.organization_id) and tagged.service_id = known.id);
  insert into public.bindings (organization_id, network_id, host_id, service_id, type, port_id,
    ip_address_id, last_seen_at, first_discovery_id, last_discovery_id)
  select context.organization_id, context.network_id,
    planned.host_id, planned.service_id, planned.type, planned.port_id,
    planned.ip_address_id, context.seen_at, context.discovery_id, context.discovery_id
  from unnest(planned_bindings) as planned where planned.fate = 'new';
  get diagnostics added = row_count;
  perform app.refresh_statistics('bindings', added);
end
$$;

grant execute on function app.write_bindings to inventory_api;
