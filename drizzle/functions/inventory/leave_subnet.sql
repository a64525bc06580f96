-- Moves addresses out of a subnet that is deleted or changed. Their hosts are locked in order, before the timestamp of
-- the change is fixed. Outside all subnets, a host can have a given address only once: if it already has the address
-- there, the change to the subnet is rejected. If discovery had set an address's subnet, it may also change the new
-- one. Each moved address starts a new version, which counts towards the maximum if the subnet is changed.
create or replace function app.leave_subnet(organization uuid, left_id uuid, held cidr) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  latest timestamptz := app.latest_credible(organization);
  earliest timestamptz;
  stuck bigint;
  moved bigint;
begin
  select max(locked.updated_at) + interval '1 millisecond' into earliest from (
    select host.updated_at from public.hosts as host
    where host.organization_id = organization and host.current_id in (
      select leaving.host_id from app.leaving_subnet(organization, left_id, held) as leaving)
      and host.updated_at < latest
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
  update public.ip_addresses as address set subnet_id = leaving.home,
    discovered = case when to_jsonb(address.subnet_id) = address.discovered->'subnet_id'
      then address.discovered || jsonb_build_object('subnet_id', leaving.home)
      else address.discovered end
  from app.leaving_subnet(organization, left_id, held) as leaving
  where address.organization_id = organization and address.id = leaving.id;
  get diagnostics moved = row_count;
  -- Deletions are never rejected, and neither are changes by the owner, who does not have an organization.
  if moved > 0 and held is not null and app.organization_id() is not null then
    perform app.count_versions(organization, moved);
  end if;
end
$$;
