-- How large a page will be is told from how large its rows are stored: what a credential holds is stored as it
-- is, since a text that compresses well would pass for a small one.
alter table credentials alter column settings set storage external;

alter table credentials enable row level security;
create policy tenant on credentials to inventory_api
  using (organization_id = (select app.organization_id()));
create policy reach on credentials as restrictive for update to inventory_api
  using ((select app.reaches_all_networks()) or app.holds_credential(id));
create policy reach_of_deletion on credentials as restrictive for delete to inventory_api
  using ((select app.reaches_all_networks()) or app.holds_credential(id));
grant select, insert, delete on credentials to inventory_api;
grant update (updated_at, name, settings) on credentials to inventory_api;

-- Every change moves updated_at and revision.
create trigger touch before update on credentials
  for each row execute function app.touch();

-- Bounds.
create trigger bound_records after insert on credentials
  referencing new table as changed for each statement when (current_user = 'inventory_api')
  execute function app.bound_records('10000', 'credentials');

-- Milestones of onboarding.
create trigger reach_milestones after insert on credentials
  referencing new table as added for each statement execute function app.reach_milestones();

-- The audit log.
create trigger audit_created after insert on credentials
  referencing new table as changed for each statement execute function app.audit_records('Credential');
create trigger audit_deleted after delete on credentials
  referencing old table as changed for each statement execute function app.audit_records('Credential');
create trigger audit_changed after update of settings, name on credentials
  for each row execute function app.audit_credential();
