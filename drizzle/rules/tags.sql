alter table tags enable row level security;
create policy tenant on tags to inventory_api
  using (organization_id = (select app.organization_id()));
grant select, insert, delete on tags to inventory_api;
grant update (name, description, color) on tags to inventory_api;

-- Every change moves updated_at and revision.
create trigger touch before update on tags
  for each row execute function app.touch();

-- Bounds.
create trigger bound_records after insert on tags
  referencing new table as changed for each statement when (current_user = 'inventory_api')
  execute function app.bound_records('10000', 'tags');

-- What keys may change.
create trigger refuse_limited_key before insert or update or delete on tags
  for each statement execute function app.refuse_limited_key();

-- Milestones of onboarding.
create trigger reach_milestones after insert on tags
  referencing new table as added for each statement execute function app.reach_milestones();

-- The audit log.
create trigger audit_created after insert on tags
  referencing new table as changed for each statement execute function app.audit_records('Tag');
create trigger audit_deleted after delete on tags
  referencing old table as changed for each statement execute function app.audit_records('Tag');
create trigger audit_changed after update of color, description, name on tags
  for each row execute function app.audit_tag();
