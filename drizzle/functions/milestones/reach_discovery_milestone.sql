-- Adds the milestone for the first completed discovery when an import, which completes at once, is stored. A scan
-- reaches the milestone with its last progress report: see app.reach_session_milestone.
create or replace function app.reach_discovery_milestone() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.reach_milestone(app.organization_id(), 'FirstDiscoveryCompleted');
end
$$;

grant execute on function app.reach_discovery_milestone to inventory_api;
