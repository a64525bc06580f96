-- A sample: one version of a hundred counts for all of them, as to count each would take a tenth of a single
-- write. Of a million that is off by one percent on average. A new UUID draws it, as who writes SQL sets the
-- seed of random().
create or replace function app.count_version() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.count_versions(new.organization_id, 100);
  return null;
end
$$;
