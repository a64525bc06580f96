-- Keeps what a version of bindings was as a closed row of its own, once the changed row has left the interval.
create or replace function app.keep_version_of_bindings() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  closed_at timestamptz;
begin
  closed_at := new.valid_from;
  -- A version that lasted no time was never visible.
  if closed_at > old.valid_from then
    insert into public.bindings (
      created_at, updated_at, organization_id, type, service_id, network_id, port_id, ip_address_id,
      last_seen_at, valid_from, valid_to, first_discovery_id, last_discovery_id, lineage_id, revision,
      host_id)
    values (
      old.created_at, old.updated_at, old.organization_id, old.type, old.service_id, old.network_id,
      old.port_id, old.ip_address_id, old.last_seen_at, old.valid_from, closed_at,
      old.first_discovery_id, old.last_discovery_id, old.id, old.revision, old.host_id);
  end if;
  return null;
end
$$;
