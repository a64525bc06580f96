-- The role of the presented key, or null if none was presented.
create or replace function app.key_role() returns public.role
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp as $$
begin
  return (app.presented_key()).role;
end
$$;

grant execute on function app.key_role to inventory_api;
