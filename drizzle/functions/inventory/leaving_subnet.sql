-- The live addresses that leave a subnet, and the subnet to which each one moves: the smallest other subnet of the
-- network that contains the address, or none if that subnet already has the address. `held` is the subnet's remaining
-- block. It is null if the subnet is deleted; its addresses are then outside all subnets.
create or replace function app.leaving_subnet(organization uuid, left_id uuid, held cidr)
returns table (id uuid, host_id uuid, address inet, home uuid)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select leaving.id, leaving.host_id, leaving.address, (
    select smallest.id from (
      select subnet.id from public.subnets as subnet
      where held is not null and subnet.organization_id = organization
        and subnet.network_id = leaving.network_id and subnet.valid_to is null
        and subnet.id <> left_id and subnet.cidr >>= leaving.address
      order by masklen(subnet.cidr) desc limit 1) as smallest
    where not exists (
      select from public.ip_addresses as taken
      where taken.organization_id = organization and taken.live_subnet_id = smallest.id
        and taken.address = leaving.address))
  from public.ip_addresses as leaving
  where leaving.organization_id = organization and leaving.live_subnet_id = left_id
    and (held is null or not held >>= leaving.address)
$$;
