-- Keeps what a version of hosts was as a closed row of its own, once the changed row has left the interval.
create or replace function app.keep_version_of_hosts() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  closed_at timestamptz;
begin
  closed_at := new.valid_from;
  -- A version that lasted no time was never visible.
  if closed_at > old.valid_from then
    insert into public.hosts (
      created_at, updated_at, organization_id, network_id, name, revision, last_seen_at, valid_from,
      valid_to, first_discovery_id, last_discovery_id, lineage_id, hostname, description, hidden,
      source, virtualization, sys_name, sys_descr, sys_object_id, sys_location, sys_contact,
      management_url, chassis_id, manufacturer, model, serial_number, discovered, operating_system,
      evidence, is_stale)
    values (
      old.created_at, old.updated_at, old.organization_id, old.network_id, old.name, old.revision,
      old.last_seen_at, old.valid_from, closed_at, old.first_discovery_id, old.last_discovery_id,
      old.id, old.hostname, old.description, old.hidden, old.source, old.virtualization, old.sys_name,
      old.sys_descr, old.sys_object_id, old.sys_location, old.sys_contact, old.management_url,
      old.chassis_id, old.manufacturer, old.model, old.serial_number, old.discovered,
      old.operating_system, old.evidence, old.is_stale);
  end if;
  return null;
end
$$;
