-- Stores a report's new subnets, and updates the last sighting of its other subnets.
create or replace function app.write_subnets(
  context app.ingest_context, source_type text, subnets app.ingested_record[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  insert into public.subnets (organization_id, network_id, id, cidr, name, description, subnet_type,
    source, last_seen_at, first_discovery_id, last_discovery_id)
  select context.organization_id, context.network_id,
    planned.id, planned.key::cidr, planned.changes->>'name',
    planned.changes->>'description', planned.changes->>'subnet_type', source_type, context.seen_at,
    context.discovery_id, context.discovery_id
  from unnest(subnets) as planned where planned.is_new;
  update public.subnets as known
  set last_seen_at = context.seen_at, last_discovery_id = context.discovery_id
  from unnest(subnets) as planned
  where known.organization_id = (select context.organization_id) and known.id = planned.id
    and known.last_seen_at < context.seen_at;
end
$$;

grant execute on function app.write_subnets to inventory_api;
