-- Keeps the last version of deleted hosts as a closed row.
create or replace function app.keep_deleted_of_hosts() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  -- To insert nothing would fire the triggers of statements as well. What is closed is not kept twice.
  if not exists (select from deleted where valid_to is null) then
    return null;
  end if;
  -- All at once: to insert each by itself would fire the triggers of statements for each.
  insert into public.hosts (
    created_at, updated_at, organization_id, network_id, name, revision, last_seen_at, valid_from,
    valid_to, first_discovery_id, last_discovery_id, lineage_id, hostname, description, hidden, source,
    virtualization, sys_name, sys_descr, sys_object_id, sys_location, sys_contact, management_url,
    chassis_id, manufacturer, model, serial_number, discovered, operating_system, evidence, is_stale)
  select
    gone.created_at, gone.updated_at, gone.organization_id, gone.network_id, gone.name, gone.revision,
    gone.last_seen_at, gone.valid_from, change.closed_at, gone.first_discovery_id,
    gone.last_discovery_id, gone.id, gone.hostname, gone.description, gone.hidden, gone.source,
    gone.virtualization, gone.sys_name, gone.sys_descr, gone.sys_object_id, gone.sys_location,
    gone.sys_contact, gone.management_url, gone.chassis_id, gone.manufacturer, gone.model,
    gone.serial_number, gone.discovered, gone.operating_system, gone.evidence, gone.is_stale
  from deleted as gone
    cross join lateral (select app.changed_at(gone.organization_id)) as change (closed_at)
  -- The organization goes with all its history. A version that lasted no time was never visible.
  where exists (select from public.organizations where id = gone.organization_id)
    and change.closed_at > gone.valid_from;
  return null;
end
$$;
