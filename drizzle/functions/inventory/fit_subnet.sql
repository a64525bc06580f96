-- Moves addresses out of a subnet whose new block does not contain them. The lock prevents an address from being
-- written into the subnet on the basis of the old block: see app.refuse_strange_subnet. Because of its name, the
-- trigger fires before the history triggers.
create or replace function app.fit_subnet() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform from public.subnets as subnet
  where subnet.organization_id = old.organization_id and subnet.id = old.id for update;
  perform app.leave_subnet(old.organization_id, old.id, new.cidr);
  return new;
end
$$;
