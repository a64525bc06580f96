-- An import is a discovery that is complete; of a scan, its last progress says so.
create or replace function app.reach_discovery_milestone() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.reach_milestone(app.organization_id(), 'FirstDiscoveryCompleted');
end
$$;

grant execute on function app.reach_discovery_milestone() to inventory_api;
