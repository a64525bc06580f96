alter table closed_service_tags enable row level security;
create policy tenant on closed_service_tags to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or exists (
    select from services as record
    where record.organization_id = closed_service_tags.organization_id
      and record.live_id = closed_service_tags.service_id)));
grant select on closed_service_tags to inventory_api;
