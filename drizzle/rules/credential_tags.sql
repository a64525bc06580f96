alter table credential_tags enable row level security;
create policy tenant on credential_tags to inventory_api
  using (organization_id = (select app.organization_id()));
grant select, insert, delete on credential_tags to inventory_api;
