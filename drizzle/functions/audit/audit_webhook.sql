-- What was changed of a webhook, for the audit log. That it is disabled is told by its reason.
create or replace function app.audit_webhook() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.audit_changed('Webhook', new.organization_id, new.id, new.name, null, array[
    case when new.changes is distinct from old.changes then 'changes' end,
    case when new.entities is distinct from old.entities then 'entities' end,
    case when new.disabled_reason is distinct from old.disabled_reason then 'is_enabled' end,
    case when new.name is distinct from old.name then 'name' end,
    case when new.network_ids is distinct from old.network_ids then 'network_ids' end,
    case when new.url is distinct from old.url then 'url' end]);
  return null;
end
$$;
