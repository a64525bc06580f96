alter table credential_secret_fields enable row level security;
create policy tenant on credential_secret_fields to inventory_api
  using (organization_id = (select app.organization_id()));
grant select, delete on credential_secret_fields to inventory_api;

-- Restrictions on keys.
create trigger refuse_deletion_beyond_reach after delete on credential_secret_fields
  referencing old table as changed for each statement execute function app.refuse_beyond_reach();
