-- Runs app.ingest on a report from the visited daemon. Records the hosts that the daemon's scan found, up to a limit:
-- the absence of a binding is decided only for recorded hosts. Records the hosts that could not be stored as gaps of
-- the scan, in the same transaction: once the daemon has been sent its confirmation, it does not report them again.
-- A scan of one host changes and finds only this host; the other hosts that it reports are not gaps.
create or replace function app.ingest_visit(network uuid, report jsonb) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  maximum constant integer := 100000;
  organization uuid := app.organization_id();
  discovery uuid := app.visit_discovery();
  result jsonb;
  failed integer[];
begin
  result := app.ingest(network, discovery, 'Discovery', report, false, (
    select session.host_id from public.discovery_sessions as session
    where session.organization_id = organization and session.id = discovery));
  insert into app.scan_hosts (organization_id, session_id, host_id)
  select organization, discovery, found.host_id
  from (
    select distinct (host.value->>2)::uuid as host_id
    from jsonb_array_elements(result->'hosts') as host) as found
  where found.host_id is not null
    and exists (
      select from public.discovery_sessions as session
      where session.organization_id = organization and session.id = discovery
        and (session.finished_at is null
          or (session.phase = 'Complete' and session.settled_at is null)))
    and not exists (
      select from app.scan_hosts as known where known.organization_id = organization
        and known.session_id = discovery and known.host_id = found.host_id)
  limit (
    select greatest(0, maximum - count(*)) from app.scan_hosts as known
    where known.organization_id = organization and known.session_id = discovery)
  on conflict do nothing;
  failed := array(
    select (host.value->>0)::integer from jsonb_array_elements(result->'hosts') as host
    where host.value->>2 is null
    except
    select (raised.value->>'index')::integer from jsonb_array_elements(result->'issues') as raised
    where raised.value->>'kind' = 'other_host');
  if cardinality(failed) > 0 then
    perform app.note_scan_gaps(
      array(
        select host.id from jsonb_to_recordset(report->'hosts') as host (index integer, id uuid)
        where host.index = any (failed) and host.id is not null),
      array(
        select address.ip from jsonb_to_recordset(report->'addresses') as address (index integer, ip inet)
        where address.index = any (failed)));
  end if;
  return result;
end
$$;

alter function app.ingest_visit owner to inventory_ingest;
grant execute on function app.ingest_visit to inventory_poller;
