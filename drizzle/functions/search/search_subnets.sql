-- The subnets that a search for `text` finds at the instant `at`, or now if null: those whose own text contains it, the
-- one with this id, and those that contain the searched address or equal the searched block.
--
-- Whole rows are returned, so that a list can filter and order by any column without reading a row again. This bypasses
-- the policies, under which `like` never uses an index, so the function itself checks the key's networks.
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
  moment timestamptz := coalesce(at, 'infinity');
  later_than timestamptz := coalesce(at, '294000-01-01');
  within text := case when reached is null then '' else ' and record.network_id = any ($2)' end;
  valid text := $sql$
    and not record.searchable like $4
    and case when record.valid_to is null then 'infinity'::timestamptz else record.valid_to end > $5
    and record.valid_from <= $5$sql$ || within;
begin
  return query execute '
    select record.*
    from public.subnets as record
    where ' ||
      app.search_condition('subnets', organization, reached, folded, pattern, at)
  using organization, reached, folded, pattern, moment;

  return query execute '
    select record.*
    from public.subnets as record
    where record.organization_id = $1 and record.live_id = $3' || valid
  using organization, reached, wanted, pattern, later_than;
  return query execute '
    select record.*
    from public.subnets as record
    where record.organization_id = $1 and record.cidr = any ($3)' || valid
  using organization, reached, blocks, pattern, later_than;
end
$$;

grant execute on function app.search_subnets(text, timestamptz, uuid, cidr[]) to inventory_api;
