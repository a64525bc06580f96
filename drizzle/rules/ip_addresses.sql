-- Deferrable: two records may swap their addresses in one statement.
call app.constrain('ip_addresses', 'ip_addresses_subnet_unique', '
  UNIQUE (organization_id, live_subnet_id, address) DEFERRABLE');
call app.constrain('ip_addresses', 'ip_addresses_host_unique', '
  EXCLUDE USING btree (organization_id WITH =, host_id WITH =, address WITH =)
  WHERE (((valid_to IS NULL) AND (subnet_id IS NULL))) DEFERRABLE');

alter table ip_addresses enable row level security;
create policy tenant on ip_addresses to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])));
grant select, insert, delete on ip_addresses to inventory_api;
grant update (
  host_id, address, last_seen_at, last_discovery_id, subnet_id, mac_address, name, status, role,
  position, discovered, evidence
) on ip_addresses to inventory_api;

-- Relations between records.
create trigger refuse_strange_subnet_inserted after insert on ip_addresses
  for each row when (new.live_subnet_id is not null) execute function app.refuse_strange_subnet();
create trigger refuse_strange_subnet_updated after update on ip_addresses
  for each row when (
    new.live_subnet_id is not null
    and (new.live_subnet_id, new.address) is distinct from (old.live_subnet_id, old.address))
  execute function app.refuse_strange_subnet();

-- An interface can have only addresses of its own host.
create trigger leave_interfaces_moved after update on ip_addresses
  referencing old table as former new table as changed for each statement
  execute function app.leave_interfaces();
create trigger leave_interfaces_deleted after delete on ip_addresses
  referencing old table as former for each statement execute function app.leave_interfaces();
