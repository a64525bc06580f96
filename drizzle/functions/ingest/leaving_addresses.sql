-- The addresses that moved to another host, according to their MAC addresses, and whose previous host was seen at a
-- different address, in this report or earlier.
create or replace function app.leaving_addresses(
  pairs app.ingested_pair[], matched app.ingested_match[], failed int[])
returns app.ingested_pair[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    select pair from unnest(pairs) as pair
    left join unnest(matched) as holder on holder.host_id = pair.host_id
    where pair.is_free and pair.index <> all (failed) and holder.index is distinct from pair.index
      and (pair.is_gone or holder.index is not null));
end
$$;

grant execute on function app.leaving_addresses to inventory_api;
