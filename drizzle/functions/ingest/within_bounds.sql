-- Keeps the planned records of a table that do not exceed the maximum of their host or interface, in order, and returns
-- an issue for each host whose last records are left out.
-- `owners`: for each planned record, in order, its host or interface if the record is new, otherwise null. `ended`:
-- stored records that do not count, because the same write ends them. `owner_column`: the column of the table with the
-- live host or interface.
create or replace function app.within_bounds(
  part name, owners uuid[], ended uuid[], inout planned anyarray, out issues app.ingested_issue[],
  owner_column name default 'live_host_id', maximum int default app.maximum_of_host())
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  beyond bigint[];
begin
  execute format('
    with added as (
      select owner.id, owner.place, row_number() over (partition by owner.id order by owner.place) as number
      from unnest($1) with ordinality as owner (id, place) where owner.id is not null)
    select array(
      select added.place
      from added join (
        select known.id, (
            select count(*) from public.%I as stored
            where stored.organization_id = (select $2) and stored.%I = known.id
              and stored.id <> all ($4)) as number
        from (select distinct id from added) as known) as held using (id)
      where added.number + held.number > $3)', part, owner_column)
  using owners, app.organization_id(), maximum, ended into beyond;
  issues := '{}';
  if beyond <> '{}' then
    issues := array(
      select (one.index, 'too_many', count(*),
        case owner_column when 'live_interface_id' then part || ' of one interface' else part end)::app.ingested_issue
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
