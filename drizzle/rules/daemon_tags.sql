alter table daemon_tags enable row level security;
create policy tenant on daemon_tags to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or exists (
    select from daemons
    where daemons.organization_id = daemon_tags.organization_id
      and daemons.id = daemon_tags.daemon_id)));
grant select, insert, delete on daemon_tags to inventory_api;

-- What changes a set of a record changes the record.
create trigger revise_daemons_inserted after insert on daemon_tags
  referencing new table as changed for each statement
  execute function app.revise_daemons();
create trigger revise_daemons_updated after update on daemon_tags
  referencing new table as changed for each statement
  execute function app.revise_daemons();
create trigger revise_daemons_deleted after delete on daemon_tags
  referencing old table as changed for each statement
  execute function app.revise_daemons();

-- The audit log.
create trigger audit_inserted after insert on daemon_tags
  referencing new table as changed for each statement
  execute function app.audit_set('Daemon', 'daemons', 'daemon_id', 'tags');
create trigger audit_deleted after delete on daemon_tags
  referencing old table as changed for each statement
  execute function app.audit_set('Daemon', 'daemons', 'daemon_id', 'tags');
