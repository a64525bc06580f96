-- Adds the milestone for the first completed discovery when a scan completes.
create or replace function app.reach_session_milestone() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.reach_milestone(new.organization_id, 'FirstDiscoveryCompleted');
  return null;
end
$$;
