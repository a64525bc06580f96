-- Deferrable, like the keys that it references: when a host is consolidated, its interfaces move before their neighbors.
call app.constrain('neighbors', 'neighbors_interface_fk', '
  FOREIGN KEY (organization_id, host_id, live_interface_id)
  REFERENCES public.interfaces(organization_id, host_id, current_id) ON DELETE CASCADE DEFERRABLE');

alter table neighbors enable row level security;
create policy tenant on neighbors to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])));
grant select, insert, delete on neighbors to inventory_api;
grant update (
  host_id, interface_id, protocol, chassis_subtype, chassis_value, port_subtype, port_value, system_name,
  system_description, port_description, management_addresses, last_seen_at, last_discovery_id, discovered, evidence
) on neighbors to inventory_api;
