-- Stores what is planned for hosts. One that is seen again at a later time is written once, with what changes.
create or replace function app.write_hosts(
  context app.ingest_context, source_type text, planned_hosts app.ingested_record[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  added integer;
begin
  insert into public.hosts (organization_id, network_id, id, name, hostname, description,
    virtualization, sys_name, sys_descr, sys_object_id, sys_location, sys_contact, management_url,
    chassis_id, manufacturer, model, serial_number, operating_system, source, discovered, evidence,
    last_seen_at, first_discovery_id, last_discovery_id)
  select context.organization_id, context.network_id,
    planned.id, said.name, said.hostname, said.description,
    said.virtualization, said.sys_name, said.sys_descr, said.sys_object_id, said.sys_location,
    said.sys_contact, said.management_url, said.chassis_id, said.manufacturer, said.model,
    said.serial_number, said.operating_system, source_type, planned.changes, planned.evidence,
    context.seen_at,
    context.discovery_id, context.discovery_id
  from unnest(planned_hosts) as planned
  cross join lateral jsonb_populate_record(null::public.hosts, planned.changes) as said
  where planned.is_new;
  get diagnostics added = row_count;
  perform app.refresh_statistics('hosts', added);
  -- What checks the rows below was perhaps planned when the tables were empty, and any index would do.
  discard plans;
  update public.hosts as known set
    name = coalesce(said.name, known.name),
    hostname = coalesce(said.hostname, known.hostname),
    description = coalesce(said.description, known.description),
    virtualization = coalesce(said.virtualization, known.virtualization),
    sys_name = coalesce(said.sys_name, known.sys_name),
    sys_descr = coalesce(said.sys_descr, known.sys_descr),
    sys_object_id = coalesce(said.sys_object_id, known.sys_object_id),
    sys_location = coalesce(said.sys_location, known.sys_location),
    sys_contact = coalesce(said.sys_contact, known.sys_contact),
    management_url = coalesce(said.management_url, known.management_url),
    chassis_id = coalesce(said.chassis_id, known.chassis_id),
    manufacturer = coalesce(said.manufacturer, known.manufacturer),
    model = coalesce(said.model, known.model),
    serial_number = coalesce(said.serial_number, known.serial_number),
    operating_system = coalesce(said.operating_system, known.operating_system),
    discovered = case when planned.changes is null then known.discovered
      else coalesce(known.discovered, '{}') || planned.changes end,
    evidence = case when planned.evidence is null then known.evidence
      else coalesce(known.evidence, '{}') || planned.evidence end,
    last_seen_at = greatest(known.last_seen_at, context.seen_at),
    last_discovery_id = case when known.last_seen_at < context.seen_at then context.discovery_id
      else known.last_discovery_id end
  from unnest(planned_hosts) as planned
  cross join lateral jsonb_populate_record(null::public.hosts, planned.changes) as said
  where known.organization_id = (select context.organization_id) and known.id = planned.id
    and not planned.is_new and (planned.changes is not null or planned.evidence is not null
      or known.last_seen_at < context.seen_at);
end
$$;

grant execute on function app.write_hosts(app.ingest_context, text, app.ingested_record[]) to inventory_api;
