-- Adds the milestone for the first host when discovery or an import adds a host.
create or replace function app.reach_host_milestone() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.reach_milestone(discovered.organization_id, 'FirstHostDiscovered')
  from (
    select distinct organization_id from added
    where source in ('Discovery', 'Import') and valid_to is null) as discovered;
  return null;
end
$$;
