alter table closed_subnet_tags enable row level security;
create policy tenant on closed_subnet_tags to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or exists (
    select from subnets as record
    where record.organization_id = closed_subnet_tags.organization_id
      and record.live_id = closed_subnet_tags.subnet_id)));
grant select on closed_subnet_tags to inventory_api;
