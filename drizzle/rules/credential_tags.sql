alter table credential_tags enable row level security;
create policy tenant on credential_tags to inventory_api
  using (organization_id = (select app.organization_id()));
grant select, insert, delete on credential_tags to inventory_api;

-- Restrictions on keys.
create trigger refuse_deletion_beyond_reach after delete on credential_tags
  referencing old table as changed for each statement execute function app.refuse_beyond_reach();
create trigger refuse_insertion_beyond_reach after insert on credential_tags
  referencing new table as changed for each statement execute function app.refuse_beyond_reach();
