alter table subnet_tags enable row level security;
create policy tenant on subnet_tags to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or exists (
    select from subnets as record
    where record.organization_id = subnet_tags.organization_id
      and record.id = subnet_tags.subnet_id)));
grant select, insert, delete on subnet_tags to inventory_api;
