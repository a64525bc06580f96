-- Starts a new live version, because facts about the network have changed. A zero-length version was never visible, so
-- it is not kept: the row keeps its earlier start.
create or replace function app.begin_version() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  new.valid_from := greatest(app.changed_at(old.organization_id), old.valid_from);
  return new;
end
$$;
