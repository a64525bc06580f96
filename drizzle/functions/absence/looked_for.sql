-- Returns the bindings for which a scan with this scope had at least the coverage of the same daemon's scans that last
-- saw them. The scan must have had every credential that the earlier scans had for the host and that may have revealed
-- the binding. If the earlier scans were full, this scan must be full too; the caller checks this. A host is identified
-- by its own id, by the ids of hosts that were consolidated into it, and by its addresses.
create or replace function app.looked_for(scope_of_scan uuid, candidates app.unseen_record[]) returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
begin
  -- Scans with the same scope have the same coverage, unless the binding was previously on another host.
  return app.looked_with_credentials(scope_of_scan, candidates, array(
    select distinct (candidate.scope_id, candidate.host_id, former.host_id)::app.judged_host
    from unnest(candidates) as candidate
    join public.bindings as version
      on version.organization_id = organization and version.live_id = candidate.id
    join public.services as former
      on former.organization_id = organization and former.live_id = version.service_id
    where candidate.scope_id <> scope_of_scan or former.host_id <> candidate.host_id));
end
$$;

grant execute on function app.looked_for to inventory_ingest;
