-- The live addresses of a subnet that leave it, and where they go: to the smallest other subnet of the
-- network that holds them, or to none where that one has the address already. `held` is the block that
-- the subnet keeps; null where it goes away, and its addresses then lie in none.
create function app.leaving_subnet(organization uuid, left_id uuid, held cidr)
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
--> statement-breakpoint
revoke execute on function app.leaving_subnet(uuid, uuid, cidr) from public;
--> statement-breakpoint

-- Addresses outlive their subnet, and its change. Their hosts are locked in order, and before the
-- timestamp of the change is fixed. A host has an address once in no subnet: one that would be a
-- second there keeps its subnet from going.
create function app.leave_subnet(organization uuid, left_id uuid, held cidr) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  earliest timestamptz;
  stuck bigint;
begin
  select max(locked.updated_at) + interval '1 millisecond' into earliest from (
    select host.updated_at from public.hosts as host
    where host.organization_id = organization and host.current_id in (
      select leaving.host_id from app.leaving_subnet(organization, left_id, held) as leaving)
      and host.updated_at < clock_timestamp() + interval '1 second'
    order by host.id for no key update) as locked;
  perform app.changed_at(organization, earliest);
  select count(*) into stuck
  from app.leaving_subnet(organization, left_id, held) as leaving
  join public.ip_addresses as double
    on double.organization_id = organization and double.live_host_id = leaving.host_id
      and double.subnet_id is null and double.address = leaving.address
  where leaving.home is null;
  if stuck > 0 then
    perform app.abort('entity_in_use', jsonb_build_object(
      'entity', 'Subnet', 'id', left_id, 'used_by', jsonb_build_object('addresses', stuck)));
  end if;
  update public.ip_addresses as address set subnet_id = leaving.home
  from app.leaving_subnet(organization, left_id, held) as leaving
  where address.organization_id = organization and address.id = leaving.id;
end
$$;
--> statement-breakpoint
revoke execute on function app.leave_subnet(uuid, uuid, cidr) from public;
--> statement-breakpoint

create or replace function app.empty_subnet() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if old.valid_to is not null then
    return old;
  end if;
  if exists (
    select from public.networks as network
    where network.organization_id = old.organization_id and network.id = old.network_id)
  then
    perform app.leave_subnet(old.organization_id, old.id, null);
  else
    -- The network goes with all its hosts: see app.lock_hosts_of_network.
    delete from public.ip_addresses as address
    where address.organization_id = old.organization_id and address.live_subnet_id = old.id;
  end if;
  return old;
end
$$;
--> statement-breakpoint
-- The lock keeps an address from being written into the subnet by what it was: see
-- app.refuse_strange_subnet. Fires before the triggers of the history, by its name.
create function app.fit_subnet() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform from public.subnets as subnet
  where subnet.organization_id = old.organization_id and subnet.id = old.id for update;
  perform app.leave_subnet(old.organization_id, old.id, new.cidr);
  return new;
end
$$;
--> statement-breakpoint
create trigger fit before update on subnets for each row
  when (old.valid_to is null and new.cidr <> old.cidr) execute function app.fit_subnet();
--> statement-breakpoint

-- An address lies in a subnet that holds it and that exists at the timestamp of the change.
create function app.refuse_strange_subnet() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  subnet record;
begin
  -- The lock that the foreign key takes as well, in case it is deferred.
  select known.cidr, known.valid_from into subnet from public.subnets as known
  where known.organization_id = new.organization_id and known.current_id = new.subnet_id
  for key share;
  if found and not subnet.cidr >>= new.address then
    raise exception 'the subnet does not hold the address'
      using errcode = 'check_violation', constraint = 'ip_addresses_subnet_check';
  end if;
  perform app.refuse_later_change(new.valid_from, subnet.valid_from);
  return null;
end
$$;
--> statement-breakpoint
drop trigger refuse_later_subnet on ip_addresses;
--> statement-breakpoint
drop function app.refuse_later_subnet();
--> statement-breakpoint
create trigger refuse_strange_subnet after insert or update of subnet_id, address on ip_addresses
  for each row when (new.live_subnet_id is not null) execute function app.refuse_strange_subnet();
