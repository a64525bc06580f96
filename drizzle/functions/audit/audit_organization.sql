-- What was changed of an organization, for the audit log.
create or replace function app.audit_organization() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.audit_changed('Organization', new.id, new.id, new.name, null, array[
    case when new.history_days is distinct from old.history_days then 'history_days' end,
    case when new.name is distinct from old.name then 'name' end]);
  return null;
end
$$;
