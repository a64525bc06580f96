-- The hosts on which a service that has `text` as its name or definition is open at the instant `at`, or now where it
-- is null. It runs past the policies: app.services_named checks which networks the key reaches.
create or replace function app.hosts_with_service(text text, at timestamptz) returns setof uuid
language plpgsql stable parallel safe security definer rows 100
set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  -- What is live ends later than all.
  later_than timestamptz := coalesce(at, '294000-01-01'::timestamptz);
begin
  return query select distinct named.host_id from app.services_named(text, at) as named
  where exists (
    select from public.bindings as binding
    where binding.organization_id = organization and binding.service_id = named.live_id
      and case when binding.valid_to is null then 'infinity'::timestamptz else binding.valid_to end > later_than
      and binding.valid_from <= later_than);
end
$$;

grant execute on function app.hosts_with_service(text, timestamptz) to inventory_api;
