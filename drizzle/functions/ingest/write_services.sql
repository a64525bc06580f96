-- Stores the planned services, and updates the last sighting of services whose bindings were seen.
create or replace function app.write_services(
  context app.ingest_context, source_type text, planned_services app.ingested_record[],
  seen_bindings uuid[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  added integer;
begin
  insert into public.services (organization_id, network_id, id, host_id, name, service_definition,
    version, virtualization, source, discovered, evidence, last_seen_at, first_discovery_id,
    last_discovery_id)
  select context.organization_id, context.network_id,
    planned.id, planned.host_id, planned.changes->>'name',
    planned.changes->>'service_definition', planned.changes->>'version',
    planned.changes->'virtualization', source_type, planned.changes, planned.evidence, context.seen_at,
    context.discovery_id, context.discovery_id
  from unnest(planned_services) as planned where planned.is_new;
  get diagnostics added = row_count;
  perform app.refresh_statistics('services', added);
  -- This includes services that the report identifies differently, if their bindings were seen.
  update public.services as known set
    name = coalesce(planned.changes->>'name', known.name),
    service_definition = coalesce(planned.changes->>'service_definition', known.service_definition),
    version = coalesce(planned.changes->>'version', known.version),
    virtualization = coalesce(planned.changes->'virtualization', known.virtualization),
    discovered = case when planned.changes is null then known.discovered
      else coalesce(known.discovered, '{}') || planned.changes end,
    evidence = case when planned.evidence is null then known.evidence
      else coalesce(known.evidence, '{}') || planned.evidence end,
    last_seen_at = greatest(known.last_seen_at, context.seen_at),
    last_discovery_id = case when known.last_seen_at < context.seen_at then context.discovery_id
      else known.last_discovery_id end
  from (
    -- If several ports belong to one stored service, the first one is used.
    (select distinct on (planned.id) planned.id, planned.changes, planned.evidence
    from unnest(planned_services) as planned where not planned.is_new
    order by planned.id, planned.key::int)
    union all
    select distinct seen.service_id, null::jsonb, null::jsonb from public.bindings as seen
    where seen.organization_id = (select context.organization_id) and seen.id = any (seen_bindings)
      and not exists (
        select from unnest(planned_services) as planned where planned.id = seen.service_id)
    ) as planned
  where known.organization_id = (select context.organization_id) and known.id = planned.id
    and (planned.changes is not null or planned.evidence is not null
      or known.last_seen_at < context.seen_at);
end
$$;

grant execute on function app.write_services(app.ingest_context, text, app.ingested_record[], uuid[]) to inventory_api;
