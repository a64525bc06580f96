alter table user_api_key_secrets enable row level security;
create policy tenant on user_api_key_secrets for insert to inventory_api
  with check (organization_id = (select app.organization_id()));
grant insert on user_api_key_secrets to inventory_api;

-- Restrictions on keys.
create trigger refuse_limited_key before insert or update or delete on user_api_key_secrets
  for each statement execute function app.refuse_limited_key();
create trigger refuse_part_of_higher_key after insert on user_api_key_secrets
  for each row execute function app.refuse_part_of_higher_key();
create trigger refuse_replaced_plaintext before insert or update or delete on user_api_key_secrets
  for each statement when (current_user = 'inventory_api') execute function app.refuse_replaced_plaintext();

-- The audit log.
create trigger audit_rotated after insert on user_api_key_secrets
  referencing new table as changed for each statement
  execute function app.audit_set('ApiKey', 'user_api_keys', 'api_key_id', '', 'rotated');
