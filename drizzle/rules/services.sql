alter table services enable row level security;
create policy tenant on services to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])));
grant select, insert, delete on services to inventory_api;
grant update (
  host_id, name, last_seen_at, last_discovery_id, service_definition, virtualization, position,
  discovered, version, evidence, external_id, metadata
) on services to inventory_api;
