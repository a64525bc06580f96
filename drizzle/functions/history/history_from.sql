-- The instant from which all history of an organization is kept, or null if nothing has been deleted.
create or replace function app.history_from(organization uuid) returns timestamptz
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return (select known.history_from from public.organizations as known where known.id = organization);
end
$$;

grant execute on function app.history_from to inventory_api;
