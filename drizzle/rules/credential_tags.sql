alter table credential_tags enable row level security;
create policy tenant on credential_tags to inventory_api
  using (organization_id = (select app.organization_id()));
grant select, insert, delete on credential_tags to inventory_api;

-- What keys may change.
create trigger refuse_deletion_beyond_reach after delete on credential_tags
  referencing old table as changed for each statement execute function app.refuse_beyond_reach();
create trigger refuse_insertion_beyond_reach after insert on credential_tags
  referencing new table as changed for each statement execute function app.refuse_beyond_reach();

-- What changes a set of a record changes the record.
create trigger revise_credentials_inserted after insert on credential_tags
  referencing new table as changed for each statement
  execute function app.revise_credentials();
create trigger revise_credentials_updated after update on credential_tags
  referencing new table as changed for each statement
  execute function app.revise_credentials();
create trigger revise_credentials_deleted after delete on credential_tags
  referencing old table as changed for each statement
  execute function app.revise_credentials();

-- The audit log.
create trigger audit_inserted after insert on credential_tags
  referencing new table as changed for each statement
  execute function app.audit_set('Credential', 'credentials', 'credential_id', 'tags');
create trigger audit_deleted after delete on credential_tags
  referencing old table as changed for each statement
  execute function app.audit_set('Credential', 'credentials', 'credential_id', 'tags');
