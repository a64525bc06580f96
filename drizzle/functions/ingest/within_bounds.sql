-- Keeps the planned records that do not exceed their host's maximum, in order, and returns an issue for each host for
-- which some are left out. `hosts`, `ended`: see app.beyond_bounds.
create or replace function app.within_bounds(
  part name, hosts uuid[], ended uuid[], inout planned anyarray, out issues app.ingested_issue[])
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  beyond bigint[] := app.beyond_bounds(part, hosts, ended);
begin
  issues := '{}';
  if beyond <> '{}' then
    issues := array(
      select (one.index, 'too_many', count(*), part)::app.ingested_issue
      from unnest(planned) with ordinality as one
      where one.ordinality = any (beyond) group by one.index);
    planned := array(
      select placed.one
      from (select one, row_number() over () as place from unnest(planned) as one) as placed
      where placed.place <> all (beyond) order by placed.place);
  end if;
end
$$;

grant execute on function app.within_bounds to inventory_api;
