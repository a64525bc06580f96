alter table credential_hosts enable row level security;
create policy tenant on credential_hosts to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks())
    or app.reaches_host(organization_id, host_id, (select app.network_ids())::uuid[])))
  with check (organization_id = (select app.organization_id()));
grant select, insert, delete on credential_hosts to inventory_api;

-- What keys may change.
create trigger refuse_deletion_beyond_reach after delete on credential_hosts
  referencing old table as changed for each statement execute function app.refuse_unassignment_beyond_reach();
create trigger refuse_insertion_beyond_reach after insert on credential_hosts
  referencing new table as changed for each statement execute function app.refuse_beyond_reach();

-- What changes a set of a record changes the record.
create trigger revise_credentials_inserted after insert on credential_hosts
  referencing new table as changed for each statement
  execute function app.revise_credentials();
create trigger revise_credentials_updated after update on credential_hosts
  referencing new table as changed for each statement
  execute function app.revise_credentials();
create trigger revise_credentials_deleted after delete on credential_hosts
  referencing old table as changed for each statement
  execute function app.revise_credentials();
create trigger revise_hosts_inserted after insert on credential_hosts
  referencing new table as changed for each statement
  execute function app.revise_hosts();
create trigger revise_hosts_updated after update on credential_hosts
  referencing new table as changed for each statement
  execute function app.revise_hosts();
create trigger revise_hosts_deleted after delete on credential_hosts
  referencing old table as changed for each statement
  execute function app.revise_hosts();

-- The audit log.
create trigger audit_inserted after insert on credential_hosts
  referencing new table as changed for each statement
  execute function app.audit_set('Credential', 'credentials', 'credential_id', 'host_assignments', 'assigned');
create trigger audit_deleted after delete on credential_hosts
  referencing old table as changed for each statement
  execute function app.audit_set('Credential', 'credentials', 'credential_id', 'host_assignments', 'unassigned');
