-- Absence: of the records (interfaces or neighbors) that are missing from a complete part of the report, returns those
-- that the reporter would have seen. For an import, these are all of them. For a daemon, the coverage of its scan must
-- be at least as wide as that of its scan that last saw the records, since SNMP credentials determine how much of a
-- device a scan can read.
create or replace function app.covered_records(context app.ingest_context, part name, absent uuid[])
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  own_scan record;
  candidates app.unseen_record[];
begin
  if absent = '{}' or context.daemon_id is null then
    return absent;
  end if;
  select handed.started_at, handed.scope_id, scope.is_full into own_scan
  from app.handed_scans as handed
  join app.scan_scopes as scope
    on scope.organization_id = (select context.organization_id) and scope.id = handed.scope_id
  where handed.organization_id = (select context.organization_id)
    and handed.session_id = context.discovery_id;
  if own_scan.scope_id is null then
    return '{}';
  end if;
  execute format('
    select array(
      select (known.id, known.host_id, earlier.scope_id)::app.unseen_record
      from public.%I as known
      left join app.handed_scans as earlier
        on earlier.organization_id = $1.organization_id and earlier.session_id = known.last_discovery_id
          and earlier.daemon_id = $1.daemon_id
      left join app.scan_scopes as scope
        on scope.organization_id = $1.organization_id and scope.id = earlier.scope_id
      where known.organization_id = $1.organization_id and known.id = any ($2)
        and known.last_discovery_id <> $1.discovery_id
        and (known.last_discovery_id = $1.daemon_id
          or (earlier.started_at < $3 and ($4 or not scope.is_full))))', part)
  using context, absent, own_scan.started_at, own_scan.is_full into candidates;
  return app.looked_with_credentials(own_scan.scope_id, candidates, array(
    select distinct (candidate.scope_id, candidate.host_id, candidate.host_id)::app.judged_host
    from unnest(candidates) as candidate where candidate.scope_id <> own_scan.scope_id));
end
$$;

grant execute on function app.covered_records to inventory_api;
