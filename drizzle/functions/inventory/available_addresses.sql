-- The lowest addresses of a live subnet that can be assigned, at most `wanted`. An address is not available if the
-- network has it, if a smaller subnet contains it, or if it is reserved: the network and broadcast addresses in IPv4
-- except in a /31 (RFC 3021) and a /32, and the first address in IPv6 (RFC 4291, section 2.6.1) except in a /127
-- (RFC 6164) and a /128.
create or replace function app.available_addresses(subnet uuid, wanted integer) returns setof inet
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  block cidr;
  network_of_subnet uuid;
  bits integer;
  candidate inet;
  final inet;
  taken record;
  found_so_far integer := 0;
begin
  select own.cidr, own.network_id into block, network_of_subnet
  from public.subnets as own where own.id = subnet and own.valid_to is null;
  if not found then
    return;
  end if;
  bits := case family(block) when 4 then 32 else 128 end;
  candidate := set_masklen(block::inet, bits);
  final := set_masklen(broadcast(block), bits);
  if masklen(block) < bits - 1 then
    candidate := candidate + 1;
    final := final - case family(block) when 4 then 1 else 0 end;
  end if;
  for taken in
    select address.address as first, address.address as last
    from public.ip_addresses as address
    where address.network_id = network_of_subnet and address.address between candidate and final
      and case when address.valid_to is null then 'infinity'::timestamptz else address.valid_to end = 'infinity'
    union all
    select set_masklen(inner_subnet.cidr::inet, bits), set_masklen(broadcast(inner_subnet.cidr), bits)
    from public.subnets as inner_subnet
    where inner_subnet.network_id = network_of_subnet and inner_subnet.valid_to is null
      and inner_subnet.cidr > block and inner_subnet.cidr <= final::cidr
    order by first
  loop
    while candidate < taken.first loop
      return next candidate;
      found_so_far := found_so_far + 1;
      exit when found_so_far = wanted;
      candidate := candidate + 1;
    end loop;
    -- The address after the last one of a block may not exist.
    if found_so_far = wanted or taken.last >= final then
      return;
    end if;
    candidate := greatest(candidate, taken.last + 1);
  end loop;
  loop
    return next candidate;
    found_so_far := found_so_far + 1;
    exit when found_so_far = wanted or candidate = final;
    candidate := candidate + 1;
  end loop;
end
$$;

grant execute on function app.available_addresses to inventory_api;
