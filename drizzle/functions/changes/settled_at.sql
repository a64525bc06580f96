-- The timestamp up to which the changes in the caller's organization are settled (app.settled_of).
create or replace function app.settled_at() returns timestamptz
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  return app.settled_of(app.organization_id());
end
$$;

grant execute on function app.settled_at to inventory_api;
