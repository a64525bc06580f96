alter table user_api_keys enable row level security;
create policy tenant on user_api_keys to inventory_api
  using (organization_id = (select app.organization_id()));
grant select, insert, delete on user_api_keys to inventory_api;
grant update (
  name, role, is_enabled, is_limited_to_networks, expires_at, key_hint
) on user_api_keys to inventory_api;

-- Restrictions on keys.
create trigger keep_owner_key_updated after update on user_api_keys
  referencing old table as former for each statement when (current_user = 'inventory_api')
  execute function app.keep_owner_key();
create trigger keep_owner_key_deleted after delete on user_api_keys
  referencing old table as former for each statement when (current_user = 'inventory_api')
  execute function app.keep_owner_key();
create trigger refuse_higher_key after insert or update or delete on user_api_keys
  for each row execute function app.refuse_higher_key();
create trigger refuse_replaced_plaintext before insert or update or delete on user_api_keys
  for each statement when (current_user = 'inventory_api') execute function app.refuse_replaced_plaintext();

-- The audit log.
create trigger audit_actor before delete on user_api_keys
  for each statement execute function app.remember_actor();
