-- Counts a sample: one version in a hundred is counted, as a hundred versions, because counting each one would take a
-- tenth of the time of a single write. For a million versions, the count is off by one percent on average. The sample
-- is drawn with a new UUID, since a session that runs its own SQL can set the seed of random().
create or replace function app.count_version() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.count_versions(new.organization_id, 100);
  return null;
end
$$;
