-- What was changed of a credential, but for its sets and its secrets, for the audit log.
create or replace function app.audit_credential() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.audit_changed('Credential', new.organization_id, new.id, new.name, null, array[
    case when new.settings is distinct from old.settings then 'credential_type' end,
    case when new.name is distinct from old.name then 'name' end]);
  return null;
end
$$;
