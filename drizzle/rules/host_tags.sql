alter table host_tags enable row level security;
create policy tenant on host_tags to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks())
    or app.reaches_host(organization_id, host_id, (select app.network_ids())::uuid[])));
grant select, insert, delete on host_tags to inventory_api;
