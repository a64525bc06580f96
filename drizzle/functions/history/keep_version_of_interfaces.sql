-- Keeps what a version of interfaces was as a closed row of its own, once the changed row has left the interval.
create or replace function app.keep_version_of_interfaces() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  closed_at timestamptz;
begin
  closed_at := new.valid_from;
  -- A version that lasted no time was never visible.
  if closed_at > old.valid_from then
    insert into public.interfaces (
      created_at, updated_at, organization_id, network_id, host_id, if_index, name, description, type,
      speed_bps, mac_address, admin_status, oper_status, ip_address_ids, discovered, evidence, revision,
      last_seen_at, valid_from, valid_to, first_discovery_id, last_discovery_id, lineage_id)
    values (
      old.created_at, old.updated_at, old.organization_id, old.network_id, old.host_id, old.if_index,
      old.name, old.description, old.type, old.speed_bps, old.mac_address, old.admin_status, old.oper_status,
      old.ip_address_ids, old.discovered, old.evidence, old.revision, old.last_seen_at, old.valid_from,
      closed_at, old.first_discovery_id, old.last_discovery_id, old.id);
  end if;
  return null;
end
$$;
