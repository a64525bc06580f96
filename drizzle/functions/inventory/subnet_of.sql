-- The smallest live subnet of a network that contains an address and that the caller can see, or null.
create or replace function app.subnet_of(organization uuid, network uuid, address inet) returns uuid
language sql stable parallel safe set search_path = pg_catalog, pg_temp as $$
  select subnet.id from public.subnets as subnet
  where subnet.organization_id = organization and subnet.network_id = network
    and subnet.valid_to is null and subnet.cidr = any (app.blocks_of(address))
  order by masklen(subnet.cidr) desc limit 1
$$;

grant execute on function app.subnet_of to inventory_api;
