-- Every report updates the last sighting of the records that it contains, and that column is not in any index. If the
-- row's page has room for the new row version, the indexes stay unchanged (a HOT update).
alter table bindings set (fillfactor = 50);

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

-- A record that belongs to a host is in the host's network.
create trigger complete before insert on bindings
  for each row when (new.valid_to is null or new.host_id is null or new.network_id is null)
  execute function app.complete_part_of_host();
create trigger complete_changed before update on bindings
  for each row when (
    (
      new.host_id, new.network_id, new.service_id
    ) is distinct from (
      old.host_id, old.network_id, old.service_id
    ))
  execute function app.complete_part_of_host();

-- Relations between records.
create trigger refuse_conflict_inserted after insert on bindings
  referencing new table as changed for each statement execute function app.refuse_binding_conflict();
create trigger refuse_conflict_updated after update on bindings
  referencing new table as changed for each statement execute function app.refuse_binding_conflict();
