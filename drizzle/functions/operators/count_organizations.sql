-- The number of organizations, for an operator.
create or replace function app.count_organizations() returns integer
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.presented_operator();
  return (select count(*) from public.organizations);
end
$$;

grant execute on function app.count_organizations to inventory_api;
