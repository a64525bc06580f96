-- Keeps the planned records that do not exceed their host's maximum, in order, and returns an issue for each host whose
-- last records are left out.
-- `hosts`: for each planned record, in order, its host if the record is new, otherwise null. `ended`: stored records
-- that do not count, because the same write ends them.
create or replace function app.within_bounds(
  part name, hosts uuid[], ended uuid[], inout planned anyarray, out issues app.ingested_issue[])
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  beyond bigint[];
begin
  execute format('
    with added as (
      select host.id, host.place, row_number() over (partition by host.id order by host.place) as number
      from unnest($1) with ordinality as host (id, place) where host.id is not null)
    select array(
      select added.place
      from added join (
        select known.id, (
            select count(*) from public.%I as stored
            where stored.organization_id = (select $2) and stored.live_host_id = known.id
              and stored.id <> all ($4)) as number
        from (select distinct id from added) as known) as held using (id)
      where added.number + held.number > $3)', part)
  using hosts, app.organization_id(), app.maximum_of_host(), ended into beyond;
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
