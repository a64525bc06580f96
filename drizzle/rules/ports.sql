-- Every report updates the last sighting of the records that it contains, and that column is not in any index. If the
-- row's page has room for the new row version, the indexes stay unchanged (a HOT update).
alter table ports set (fillfactor = 50);

-- Deferrable: two records may swap their numbers in one statement.
call app.constrain('ports', 'ports_host_unique', '
  UNIQUE (organization_id, live_host_id, number, protocol) DEFERRABLE');

alter table ports enable row level security;
create policy tenant on ports to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])));
grant select, insert, delete on ports to inventory_api;
grant update (host_id, number, protocol, last_seen_at, last_discovery_id) on ports to inventory_api;

-- A record that belongs to a host is in the host's network.
create trigger complete before insert on ports
  for each row when (new.network_id is null)
  execute function app.complete_part_of_host();
create trigger complete_changed before update on ports
  for each row when ((new.host_id, new.network_id) is distinct from (old.host_id, old.network_id))
  execute function app.complete_part_of_host();
