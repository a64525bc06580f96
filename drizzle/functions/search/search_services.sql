-- The services that a search for `text` finds at the instant `at`, or now if null: those whose own text contains it,
-- and the one with this id. See app.search_query.
create or replace function app.search_services(
  text text, at timestamptz, wanted uuid)
returns setof public.services
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  reached uuid[] := case when not app.reaches_all_networks() then app.network_ids() end;
  folded text := lower(text collate "und-x-icu");
  pattern text := '%' || regexp_replace(folded, '([\\%_])', '\\\1', 'g') || '%';
  -- A live record ends later than all closed records.
  later_than timestamptz := coalesce(at, '294000-01-01');
begin
  return query execute app.search_query('services', organization, reached, folded, pattern, at)
  using organization, reached, folded, pattern, later_than, array[wanted];
end
$$;

grant execute on function app.search_services to inventory_api;
