alter table service_tags enable row level security;
create policy tenant on service_tags to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or exists (
    select from services as record
    where record.organization_id = service_tags.organization_id
      and record.id = service_tags.service_id)));
grant select, insert, delete on service_tags to inventory_api;
