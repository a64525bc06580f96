-- Moves the addresses of a deleted subnet out of it: they outlive it, and are then outside all subnets. Their hosts are
-- locked in order, before the timestamp is fixed.
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
    -- The network and all its hosts are being deleted: see app.lock_hosts_of_network.
    delete from public.ip_addresses as address
    where address.organization_id = old.organization_id and address.live_subnet_id = old.id;
  end if;
  return old;
end
$$;
