alter table network_tags enable row level security;
create policy tenant on network_tags to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])));
grant select, insert, delete on network_tags to inventory_api;
