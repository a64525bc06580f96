-- What was changed of an API key, for the audit log. A key that has filled the log can be disabled in spite of it.
create or replace function app.audit_api_key() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.audit_changed('ApiKey', new.organization_id, new.id, new.name, null, array[
    case when new.expires_at is distinct from old.expires_at then 'expires_at' end,
    case when new.is_enabled is distinct from old.is_enabled then 'is_enabled' end,
    case when new.name is distinct from old.name then 'name' end,
    case when new.is_limited_to_networks is distinct from old.is_limited_to_networks then 'network_ids' end,
    case when new.role is distinct from old.role then 'permissions' end],
    is_bound => not (old.is_enabled and not new.is_enabled));
  return null;
end
$$;
