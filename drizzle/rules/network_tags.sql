alter table network_tags enable row level security;
create policy tenant on network_tags to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])));
grant select, insert, delete on network_tags to inventory_api;

-- What keys may change.
create trigger refuse_limited_key before insert or update or delete on network_tags
  for each statement execute function app.refuse_limited_key();

-- What changes a set of a record changes the record.
create trigger revise_networks_inserted after insert on network_tags
  referencing new table as changed for each statement
  execute function app.revise_networks();
create trigger revise_networks_updated after update on network_tags
  referencing new table as changed for each statement
  execute function app.revise_networks();
create trigger revise_networks_deleted after delete on network_tags
  referencing old table as changed for each statement
  execute function app.revise_networks();

-- The audit log.
create trigger audit_inserted after insert on network_tags
  referencing new table as changed for each statement
  execute function app.audit_set('Network', 'networks', 'network_id', 'tags');
create trigger audit_deleted after delete on network_tags
  referencing old table as changed for each statement
  execute function app.audit_set('Network', 'networks', 'network_id', 'tags');
