-- app.ingest, for the daemon that is visited. Remembers which hosts its scan has
-- found; those beyond the bound keep their bindings.
create or replace function app.ingest_visit(network uuid, report jsonb) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  maximum constant integer := 100000;
  organization uuid := app.organization_id();
  discovery uuid := app.visit_discovery();
  result jsonb;
begin
  result := app.ingest(network, discovery, 'Discovery', report, false);
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
  return result;
end
$$;

-- The new owner must be able to create in the schema at this moment.
grant create on schema app to inventory_ingest;
alter function app.ingest_visit(uuid, jsonb) owner to inventory_ingest;
revoke create on schema app from inventory_ingest;
grant execute on function app.ingest_visit(uuid, jsonb) to inventory_poller;
