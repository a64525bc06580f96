-- The indexes of the report's hosts that change in any way.
create or replace function app.changed_hosts(
  context app.ingest_context, planned_hosts app.ingested_record[], planned_addresses app.ingested_record[],
  planned_ports app.ingested_record[], planned_services app.ingested_record[],
  planned_bindings app.ingested_binding[], moving app.ingested_pair[], ended_bindings uuid[])
returns int[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    select planned.index from unnest(planned_addresses || planned_ports || planned_services) as planned
    where planned.is_new
    union
    select planned.index from unnest(planned_hosts || planned_addresses || planned_services) as planned
    where planned.changes is not null
    union
    select planned.index from unnest(planned_bindings) as planned
    where planned.fate in ('new', 'taken_over')
    union
    select host.index from unnest(planned_hosts) as host
    where host.id in (select leaving.host_id from unnest(moving) as leaving)
    union
    -- A sighting clears `is_stale`.
    select host.index from unnest(planned_hosts) as host
    cross join lateral (
      select stored.is_stale, stored.last_seen_at from public.hosts as stored
      where stored.organization_id = (select context.organization_id) and stored.current_id = host.id
      offset 0) as known
    where known.is_stale and known.last_seen_at < context.seen_at and not app.is_stale(context.seen_at, (
      select network.stale_after_hours from public.networks as network
      where network.organization_id = context.organization_id and network.id = context.network_id))
    union
    select host.index from unnest(planned_hosts) as host
    where host.id in (
      select ended.host_id
      from unnest(ended_bindings) as ending (id)
      cross join lateral (
        select bound.live_host_id as host_id from public.bindings as bound
        where bound.organization_id = (select context.organization_id) and bound.id = ending.id
        offset 0) as ended));
end
$$;

grant execute on function app.changed_hosts to inventory_api;
