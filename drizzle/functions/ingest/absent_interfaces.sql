-- Absence: returns the interfaces that end. Discovery created them, and they are missing from the report, which
-- contains their host's whole interface table. `complete`: the indexes of the hosts with whole tables. The coverage of
-- a daemon's scan must be at least as wide as that of its scan that last saw the interfaces, since SNMP credentials
-- determine how much of a table a scan can read. Interfaces that were seen after the report are kept, and so are
-- interfaces that came from a host that a user consolidated into this one.
create or replace function app.absent_interfaces(
  context app.ingest_context, complete int[], contested uuid[], planned_hosts app.ingested_record[],
  planned_interfaces app.ingested_record[], moved_addresses uuid[])
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  absent uuid[];
  own_scan record;
  candidates app.unseen_record[];
begin
  absent := array(
    select stored.id
    from unnest(planned_hosts) as host
    cross join lateral (
      select known.id from public.interfaces as known
      where known.organization_id = (select context.organization_id) and known.live_host_id = host.id
        and known.first_discovery_id is not null and known.last_seen_at <= context.seen_at
      offset 0) as stored
    where host.index = any (complete) and not host.is_new and host.id <> all (contested)
      and not app.is_united(context, host.id, moved_addresses)
      and stored.id not in (select planned.id from unnest(planned_interfaces) as planned)
      and not exists (
        select from public.interfaces as version
        where version.organization_id = (select context.organization_id) and version.live_id = stored.id
          and version.host_id <> host.id));
  if absent = '{}' or context.daemon_id is null then
    return absent;
  end if;
  select handed.started_at, handed.scope_id, scope.is_full into own_scan
  from app.handed_scans as handed
  join app.scan_scopes as scope
    on scope.organization_id = (select context.organization_id) and scope.id = handed.scope_id
  where handed.organization_id = (select context.organization_id)
    and handed.session_id = context.discovery_id;
  candidates := array(
    select (known.id, known.host_id, earlier.scope_id)::app.unseen_record
    from public.interfaces as known
    left join app.handed_scans as earlier
      on earlier.organization_id = context.organization_id and earlier.session_id = known.last_discovery_id
        and earlier.daemon_id = context.daemon_id
    left join app.scan_scopes as scope
      on scope.organization_id = context.organization_id and scope.id = earlier.scope_id
    where own_scan.scope_id is not null
      and known.organization_id = context.organization_id and known.id = any (absent)
      and known.last_discovery_id <> context.discovery_id
      and (known.last_discovery_id = context.daemon_id
        or (earlier.started_at < own_scan.started_at and (own_scan.is_full or not scope.is_full))));
  return app.looked_with_credentials(own_scan.scope_id, candidates, array(
    select distinct (candidate.scope_id, candidate.host_id, candidate.host_id)::app.judged_host
    from unnest(candidates) as candidate where candidate.scope_id <> own_scan.scope_id));
end
$$;

grant execute on function app.absent_interfaces to inventory_api;
