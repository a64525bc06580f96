-- The live version begins anew, as what it says of the network has changed. A version that lasted no
-- time was never visible, so it is not kept: the row then says what it says since before.
create or replace function app.begin_version() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  new.valid_from := greatest(app.changed_at(old.organization_id), old.valid_from);
  return new;
end
$$;
