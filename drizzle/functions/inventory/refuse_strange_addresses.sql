-- Rejects an interface unless its addresses belong to its own host and are listed in order, each only once. The check
-- runs at the end of the transaction, so it reads the current row, which may have changed again.
create or replace function app.refuse_strange_addresses() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if exists (
    select from public.interfaces as own
    where own.organization_id = new.organization_id and own.current_id = new.id
      and own.ip_address_ids is distinct from array(
        select address.id from public.ip_addresses as address
        where address.organization_id = own.organization_id and address.live_host_id = own.live_host_id
          and address.id = any (own.ip_address_ids)
        order by address.id))
  then
    raise exception 'the interface has an address of another host'
      using errcode = 'check_violation', constraint = 'interfaces_ip_addresses_check';
  end if;
  return null;
end
$$;
