-- The ids of the records of a searchable table that have the given name, ignoring case, at the instant `at`, or now if
-- null. The text index finds them, since the name is part of the searched text. The function bypasses the policies,
-- under which `like` never uses an index, so it checks the key's networks itself.
create or replace function app.ids_by_name(searched name, name text, at timestamptz) returns setof uuid
language plpgsql stable security definer rows 10
set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  reached uuid[] := case when not app.reaches_all_networks() then app.network_ids() end;
  folded text := lower(name collate "und-x-icu");
  pattern text := '%' || regexp_replace(folded, '([\\%_])', '\\\1', 'g') || '%';
begin
  return query execute format('
    select record.live_id from public.%I as record
    where lower(record.name collate "und-x-icu") = $3 and ', searched) ||
      app.search_condition(searched, organization, reached, folded, pattern, at)
  using organization, reached, folded, pattern, coalesce(at, 'infinity');
end
$$;

grant execute on function app.ids_by_name to inventory_api;
