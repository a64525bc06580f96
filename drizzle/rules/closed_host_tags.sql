alter table closed_host_tags enable row level security;
-- The host may have been deleted, so app.reaches_host, which reads live hosts, does not suffice.
create policy tenant on closed_host_tags to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or exists (
    select from hosts as record
    where record.organization_id = closed_host_tags.organization_id
      and record.live_id = closed_host_tags.host_id)));
grant select on closed_host_tags to inventory_api;
