-- The id of the presented key, or null if none was presented.
create or replace function app.key_id() returns uuid
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp as $$
begin
  return (app.presented_key()).id;
end
$$;

grant execute on function app.key_id to inventory_api;
