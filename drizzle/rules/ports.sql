-- Deferrable: two records may swap their numbers in one statement.
call app.constrain('ports', 'ports_host_unique', '
  UNIQUE (organization_id, live_host_id, number, protocol) DEFERRABLE');

alter table ports enable row level security;
create policy tenant on ports to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])));
grant select, insert, delete on ports to inventory_api;
grant update (host_id, number, protocol, last_seen_at, last_discovery_id) on ports to inventory_api;
