alter table credential_secrets enable row level security;
create policy tenant on credential_secrets to inventory_api
  using (organization_id = (select app.organization_id()));
grant insert on credential_secrets to inventory_api;

-- Restrictions on keys.
create trigger refuse_insertion_beyond_reach after insert on credential_secrets
  referencing new table as changed for each statement execute function app.refuse_beyond_reach();

-- Relations between records.
create trigger add_secret_field before insert on credential_secrets
  for each row execute function app.add_secret_field();

-- The audit log. Resealing is not logged as a change.
create trigger audit_inserted after insert on credential_secrets
  referencing new table as changed for each statement
  execute function app.audit_set('Credential', 'credentials', 'credential_id', 'credential_type');
