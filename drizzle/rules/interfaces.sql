-- Deferrable: two records may swap their numbers in one statement.
call app.constrain('interfaces', 'interfaces_host_unique', '
  UNIQUE (organization_id, live_host_id, if_index) DEFERRABLE');

alter table interfaces enable row level security;
create policy tenant on interfaces to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])));
grant select, insert, delete on interfaces to inventory_api;
grant update (
  host_id, last_seen_at, last_discovery_id, if_index, name, description, type, speed_bps, mac_address,
  admin_status, oper_status, alias, native_vlan, tagged_vlans, lldp_read_at, cdp_read_at, fdb_read_at, vlans_read_at,
  ip_address_ids, discovered, evidence
) on interfaces to inventory_api;

-- Relations between records. Deferrable: consolidating hosts moves interfaces and addresses one after the other.
create constraint trigger refuse_strange_addresses_inserted after insert on interfaces
  deferrable for each row when (new.valid_to is null and new.ip_address_ids <> '{}')
  execute function app.refuse_strange_addresses();
create constraint trigger refuse_strange_addresses_updated after update on interfaces
  deferrable for each row when (
    new.valid_to is null and new.ip_address_ids <> '{}'
    and (new.host_id, new.ip_address_ids) is distinct from (old.host_id, old.ip_address_ids))
  execute function app.refuse_strange_addresses();
