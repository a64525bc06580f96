-- The subnets that a search for `text` finds at the instant `at`, or now if null: those whose own text contains it, the
-- one with this id, and those that contain the searched address or equal the searched block. See app.search_query.
create or replace function app.search_subnets(
  text text, at timestamptz, wanted uuid, blocks cidr[])
returns setof public.subnets
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  reached uuid[] := case when not app.reaches_all_networks() then app.network_ids() end;
  folded text := lower(text collate "und-x-icu");
  pattern text := '%' || regexp_replace(folded, '([\\%_])', '\\\1', 'g') || '%';
  -- A live record ends later than all closed records.
  later_than timestamptz := coalesce(at, '294000-01-01');
  others uuid[] := wanted || array(
    select subnet.live_id from public.subnets as subnet
    where subnet.organization_id = organization and subnet.cidr = any (blocks)
      and (reached is null or subnet.network_id = any (reached))
      and case when subnet.valid_to is null then 'infinity'::timestamptz else subnet.valid_to end > later_than
      and subnet.valid_from <= later_than);
begin
  return query execute app.search_query('subnets', organization, reached, folded, pattern, at)
  using organization, reached, folded, pattern, later_than, others;
end
$$;

grant execute on function app.search_subnets to inventory_api;
