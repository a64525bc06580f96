-- The query that searches a table, as SQL with the parameters of app.search_condition: the rows whose own text contains
-- the search text, and those of the records $6, which match it in another way. Whole rows are returned, so that a list
-- can filter and order by any column without reading a row again.
--
-- The functions that execute it bypass the policies, under which `like` never uses an index, so the query itself checks
-- the key's networks.
create or replace function app.search_query(
  searched name, organization uuid, reached uuid[], folded text, pattern text, at timestamptz)
returns text language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  -- The limit of one forces a look-up for each record, regardless of how many rows Postgres expects.
  return format($sql$
    select record.* from public.%1$I as record where %2$s
    union all
    select matched.* from (select distinct other.id from unnest($6) as other (id)) as other
    cross join lateral (
      select record.* from public.%1$I as record
      where record.organization_id = $1 and record.live_id = other.id and not record.searchable like $4
        and case when record.valid_to is null then 'infinity'::timestamptz else record.valid_to end > $5
        and record.valid_from <= $5%3$s
      limit 1) as matched$sql$,
    searched, app.search_condition(searched, organization, reached, folded, pattern, at),
    case when reached is not null then ' and record.network_id = any ($2)' end);
end
$$;
