alter table tags enable row level security;
create policy tenant on tags to inventory_api
  using (organization_id = (select app.organization_id()));
grant select, insert, delete on tags to inventory_api;
grant update (name, description, color, external_id, metadata) on tags to inventory_api;
