alter table credential_hosts enable row level security;
create policy tenant on credential_hosts to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks())
    or app.reaches_host(organization_id, host_id, (select app.network_ids())::uuid[])))
  with check (organization_id = (select app.organization_id()));
grant select, insert, delete on credential_hosts to inventory_api;
