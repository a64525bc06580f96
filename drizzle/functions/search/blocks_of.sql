-- The blocks that contain an address, or a whole block: one for each prefix length up to its own.
create or replace function app.blocks_of(address inet) returns cidr[]
language sql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
  select array_agg(network(set_masklen(address, length)))
  from generate_series(0, masklen(address)) as length
$$;

grant execute on function app.blocks_of to inventory_api;
