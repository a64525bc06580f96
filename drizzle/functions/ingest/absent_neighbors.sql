-- Absence: returns the LLDP and CDP neighbors to end. They were created by discovery, and a report that contains all
-- neighbors of their interface for their protocol does not contain them. Neighbors that were seen after the report are
-- kept, and so are neighbors of another host that a user consolidated into the reported host. For daemons, see
-- app.covered_records. `ended_interfaces`: interfaces to end; all their neighbors end with them.
create or replace function app.absent_neighbors(
  context app.ingest_context, interfaces app.reported_interface[], contested uuid[],
  planned_hosts app.ingested_record[], planned_interfaces app.ingested_record[], ended_interfaces uuid[],
  planned_neighbors app.ingested_record[], moved_addresses uuid[])
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return app.covered_records(context, 'neighbors', array(
    with owner as materialized (
      select host.index, host.id
      from unnest(planned_hosts) as host
      where not host.is_new and host.id <> all (contested)
        and not app.is_united(context, host.id, moved_addresses)
        and host.index in (
          select sent.index from unnest(interfaces) as sent where sent.complete && '{lldp,cdp}'))
    select stored.id
    from unnest(interfaces) as sent
    join owner on owner.index = sent.index
    join unnest(planned_interfaces) as interface
      on interface.index = sent.index and interface.key = sent.if_index::text and not interface.is_new
    cross join lateral (
      select known.id, known.host_id from public.neighbors as known
      where known.organization_id = (select context.organization_id)
        and known.live_interface_id = interface.id and known.protocol in ('Lldp', 'Cdp')
        and lower(known.protocol) = any (sent.complete)
        and known.first_discovery_id is not null and known.last_seen_at <= context.seen_at
      offset 0) as stored
    where stored.id not in (select planned.id from unnest(planned_neighbors) as planned)
      and not exists (
        select from public.neighbors as version
        where version.organization_id = (select context.organization_id) and version.live_id = stored.id
          and version.host_id <> stored.host_id)))
    || array(
      select known.id from public.neighbors as known
      where known.organization_id = (select context.organization_id)
        and known.live_interface_id = any (ended_interfaces));
end
$$;

grant execute on function app.absent_neighbors to inventory_api;
