-- The hosts with a service that is open at the instant `at` (now if null) and whose name or definition is `text`,
-- ignoring case. The function bypasses the policies, so it checks the key's networks itself.
create or replace function app.hosts_with_service(text text, at timestamptz) returns setof uuid
language plpgsql stable parallel safe security definer rows 100
set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  reached uuid[] := case when not app.reaches_all_networks() then app.network_ids() end;
  folded text := lower(text collate "und-x-icu");
  -- A live record ends later than all closed records.
  later_than timestamptz := coalesce(at, '294000-01-01'::timestamptz);
begin
  return query select distinct named.host_id from (
    select service.live_id, service.host_id from public.services as service
    where service.organization_id = organization
      and (reached is null or service.network_id = any (reached))
      and lower(service.name collate "und-x-icu") = folded
      and case when service.valid_to is null then 'infinity'::timestamptz else service.valid_to end > later_than
      and service.valid_from <= later_than
    union all
    select service.live_id, service.host_id from public.services as service
    where service.organization_id = organization
      and (reached is null or service.network_id = any (reached))
      and lower(service.service_definition collate "und-x-icu") = folded
      and case when service.valid_to is null then 'infinity'::timestamptz else service.valid_to end > later_than
      and service.valid_from <= later_than) as named
  where exists (
    select from public.bindings as binding
    where binding.organization_id = organization and binding.service_id = named.live_id
      and case when binding.valid_to is null then 'infinity'::timestamptz else binding.valid_to end > later_than
      and binding.valid_from <= later_than);
end
$$;

grant execute on function app.hosts_with_service to inventory_api;
