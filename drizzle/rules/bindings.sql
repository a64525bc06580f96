-- Deferrable, like the keys that they reference: when a host is consolidated, all its records move with it.
call app.constrain('bindings', 'bindings_service_fk', '
  FOREIGN KEY (organization_id, host_id, live_service_id)
  REFERENCES public.services(organization_id, host_id, current_id) ON DELETE CASCADE DEFERRABLE');
call app.constrain('bindings', 'bindings_port_fk', '
  FOREIGN KEY (organization_id, host_id, live_port_id)
  REFERENCES public.ports(organization_id, host_id, current_id) ON DELETE CASCADE DEFERRABLE');
call app.constrain('bindings', 'bindings_ip_address_fk', '
  FOREIGN KEY (organization_id, host_id, live_ip_address_id)
  REFERENCES public.ip_addresses(organization_id, host_id, current_id) ON DELETE CASCADE DEFERRABLE');

alter table bindings enable row level security;
create policy tenant on bindings to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])));
grant select, insert, delete on bindings to inventory_api;
grant update (
  type, service_id, port_id, ip_address_id, last_seen_at, last_discovery_id, host_id
) on bindings to inventory_api;

-- Relations between records.
create trigger refuse_conflict_inserted after insert on bindings
  referencing new table as changed for each statement execute function app.refuse_binding_conflict();
create trigger refuse_conflict_updated after update on bindings
  referencing new table as changed for each statement execute function app.refuse_binding_conflict();
