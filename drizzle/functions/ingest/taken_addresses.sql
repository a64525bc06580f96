-- Returns an issue for each unmatched host whose address belongs to a stored host. It cannot be a new host: another
-- host in the report matches that stored host, and the report distinguishes the two.
create or replace function app.taken_addresses(
  pairs app.ingested_pair[], matched app.ingested_match[], failed int[], moved_addresses uuid[])
returns app.ingested_issue[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    select (pair.index, 'taken_address', pair.position, min(pair.host_id::text))::app.ingested_issue
    from unnest(pairs) as pair
    left join unnest(matched) as own on own.index = pair.index
    where pair.index <> all (failed)
    group by pair.index, pair.position
    having not coalesce(bool_or(own.host_id = pair.host_id), false)
      and not bool_or(pair.address_id = any (moved_addresses)));
end
$$;

grant execute on function app.taken_addresses to inventory_api;
