-- Ends absent interfaces, and stores the planned ones.
create or replace function app.write_interfaces(
  context app.ingest_context, planned_interfaces app.ingested_record[], ended_interfaces uuid[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  added integer;
begin
  delete from public.interfaces as known
  where known.organization_id = (select context.organization_id) and known.id = any (ended_interfaces);
  insert into public.interfaces (organization_id, network_id, id, host_id, if_index, name, description, type,
    speed_bps, mac_address, admin_status, oper_status, ip_address_ids, discovered, evidence, last_seen_at,
    first_discovery_id, last_discovery_id)
  select context.organization_id, context.network_id, planned.id, planned.host_id, said.if_index, said.name,
    said.description, said.type, said.speed_bps, said.mac_address, said.admin_status, said.oper_status,
    coalesce(said.ip_address_ids, '{}'), planned.changes, planned.evidence, context.seen_at,
    context.discovery_id, context.discovery_id
  from unnest(planned_interfaces) as planned
  cross join lateral jsonb_populate_record(null::public.interfaces, planned.changes) as said
  where planned.is_new;
  get diagnostics added = row_count;
  perform app.refresh_statistics('interfaces', added);
  update public.interfaces as known set
    name = coalesce(said.name, known.name),
    description = coalesce(said.description, known.description),
    type = coalesce(said.type, known.type),
    speed_bps = coalesce(said.speed_bps, known.speed_bps),
    mac_address = coalesce(said.mac_address, known.mac_address),
    admin_status = coalesce(said.admin_status, known.admin_status),
    oper_status = coalesce(said.oper_status, known.oper_status),
    ip_address_ids = coalesce(said.ip_address_ids, known.ip_address_ids),
    discovered = case when planned.changes is null then known.discovered
      else coalesce(known.discovered, '{}') || planned.changes end,
    evidence = case when planned.evidence is null then known.evidence
      else coalesce(known.evidence, '{}') || planned.evidence end,
    last_seen_at = greatest(known.last_seen_at, context.seen_at),
    last_discovery_id = case when known.last_seen_at < context.seen_at then context.discovery_id
      else known.last_discovery_id end
  from unnest(planned_interfaces) as planned
  cross join lateral jsonb_populate_record(null::public.interfaces, planned.changes) as said
  where known.organization_id = (select context.organization_id) and known.id = planned.id
    and not planned.is_new and (planned.changes is not null or planned.evidence is not null
      or known.last_seen_at < context.seen_at);
end
$$;

grant execute on function app.write_interfaces(app.ingest_context, app.ingested_record[], uuid[]) to inventory_api;
