-- What was changed of a network, for the audit log.
create or replace function app.audit_network() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.audit_changed('Network', new.organization_id, new.id, new.name, new.id, array[
    case when new.description is distinct from old.description then 'description' end,
    case when new.name is distinct from old.name then 'name' end,
    case when new.stale_after_hours is distinct from old.stale_after_hours then 'stale_after_hours' end]);
  return null;
end
$$;
