-- Keeps what a version of ip_addresses was as a closed row of its own, once the changed row has left the interval.
create or replace function app.keep_version_of_ip_addresses() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  closed_at timestamptz;
begin
  closed_at := new.valid_from;
  -- A version that lasted no time was never visible.
  if closed_at > old.valid_from then
    insert into public.ip_addresses (
      created_at, updated_at, organization_id, network_id, host_id, address, revision, last_seen_at,
      valid_from, valid_to, first_discovery_id, last_discovery_id, lineage_id, subnet_id, mac_address,
      name, "position", discovered, evidence)
    values (
      old.created_at, old.updated_at, old.organization_id, old.network_id, old.host_id, old.address,
      old.revision, old.last_seen_at, old.valid_from, closed_at, old.first_discovery_id,
      old.last_discovery_id, old.id, old.subnet_id, old.mac_address, old.name, old."position",
      old.discovered, old.evidence);
  end if;
  return null;
end
$$;
