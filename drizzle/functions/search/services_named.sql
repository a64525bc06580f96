-- The services that have `text` as their name or definition, in any case, at the instant `at`, or now where it is
-- null; a service that has it as both comes twice. Its callers run past the policies, so it checks itself which
-- networks the key reaches.
create or replace function app.services_named(text text, at timestamptz)
returns table (live_id uuid, host_id uuid)
language plpgsql stable parallel safe rows 100
set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  reached uuid[] := case when not app.reaches_all_networks() then app.network_ids() end;
  folded text := lower(text collate "und-x-icu");
  -- What is live ends later than all.
  later_than timestamptz := coalesce(at, '294000-01-01'::timestamptz);
begin
  return query select service.live_id, service.host_id from public.services as service
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
    and service.valid_from <= later_than;
end
$$;
