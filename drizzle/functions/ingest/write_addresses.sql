-- Ends addresses that moved to other hosts, and stores the planned ones.
create or replace function app.write_addresses(
  context app.ingest_context, planned_addresses app.ingested_record[], moved_addresses uuid[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  added integer;
begin
  delete from public.ip_addresses as known
  where known.organization_id = (select context.organization_id) and known.id = any (moved_addresses);
  insert into public.ip_addresses (organization_id, network_id, id, host_id, address, mac_address, name,
    subnet_id, discovered, evidence, last_seen_at, first_discovery_id, last_discovery_id)
  select context.organization_id, context.network_id,
    planned.id, planned.host_id, planned.key::inet,
    (planned.changes->>'mac_address')::macaddr, planned.changes->>'name',
    (planned.changes->>'subnet_id')::uuid, planned.changes, planned.evidence, context.seen_at, context.discovery_id,
    context.discovery_id
  from unnest(planned_addresses) as planned where planned.is_new;
  get diagnostics added = row_count;
  perform app.refresh_statistics('ip_addresses', added);
  update public.ip_addresses as known set
    mac_address = coalesce((planned.changes->>'mac_address')::macaddr, known.mac_address),
    name = coalesce(planned.changes->>'name', known.name),
    subnet_id = coalesce((planned.changes->>'subnet_id')::uuid, known.subnet_id),
    discovered = case when planned.changes is null then known.discovered
      else coalesce(known.discovered, '{}') || planned.changes end,
    evidence = case when planned.evidence is null then known.evidence
      else coalesce(known.evidence, '{}') || planned.evidence end,
    last_seen_at = greatest(known.last_seen_at, context.seen_at),
    last_discovery_id = case when known.last_seen_at < context.seen_at then context.discovery_id
      else known.last_discovery_id end
  from unnest(planned_addresses) as planned
  where known.organization_id = (select context.organization_id) and known.id = planned.id
    and not planned.is_new and (planned.changes is not null or planned.evidence is not null
      or known.last_seen_at < context.seen_at);
end
$$;

grant execute on function app.write_addresses(app.ingest_context, app.ingested_record[], uuid[]) to inventory_api;
