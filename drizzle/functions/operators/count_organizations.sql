-- The number of organizations, for an operator; with `wanted_state`, only of those in that state.
create or replace function app.count_organizations(wanted_state text) returns integer
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.presented_operator();
  return (
    select count(*) from public.organizations as known
    where wanted_state is null or app.organization_state(known.suspended_at, known.deletes_at) = wanted_state);
end
$$;

grant execute on function app.count_organizations to inventory_api;
