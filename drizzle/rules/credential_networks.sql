alter table credential_networks enable row level security;
create policy tenant on credential_networks to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])))
  with check (organization_id = (select app.organization_id()));
grant select, insert, delete on credential_networks to inventory_api;
