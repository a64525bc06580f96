-- The lock keeps an address from being written into the subnet by what it was: see
-- app.refuse_strange_subnet. Fires before the triggers of the history, by its name.
create or replace function app.fit_subnet() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform from public.subnets as subnet
  where subnet.organization_id = old.organization_id and subnet.id = old.id for update;
  perform app.leave_subnet(old.organization_id, old.id, new.cidr);
  return new;
end
$$;
