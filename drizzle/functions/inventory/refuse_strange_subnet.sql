-- Rejects an address unless its subnet contains it and exists at the timestamp of the change.
create or replace function app.refuse_strange_subnet() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  subnet record;
begin
  -- The foreign key takes the same lock, but it may be deferred.
  select known.cidr, known.valid_from into subnet from public.subnets as known
  where known.organization_id = new.organization_id and known.current_id = new.subnet_id
  for key share;
  if found and not subnet.cidr >>= new.address then
    raise exception 'the subnet does not hold the address'
      using errcode = 'check_violation', constraint = 'ip_addresses_subnet_check';
  end if;
  perform app.refuse_later_change(new.organization_id, new.valid_from, subnet.valid_from);
  return null;
end
$$;
