-- Every report updates the last sighting of the records that it contains, and that column is not in any index. If the
-- row's page has room for the new row version, the indexes stay unchanged (a HOT update).
alter table services set (fillfactor = 50);

alter table services enable row level security;
create policy tenant on services to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])));
grant select, insert, delete on services to inventory_api;
grant update (
  host_id, name, last_seen_at, last_discovery_id, service_definition, virtualization, position,
  discovered, version, evidence
) on services to inventory_api;

-- A record that belongs to a host is in the host's network.
create trigger complete before insert on services
  for each row when (new.network_id is null or new.service_definition is null)
  execute function app.complete_part_of_host();
create trigger complete_changed before update on services
  for each row when (
    (
      new.host_id, new.network_id, new.name, new.service_definition
    ) is distinct from (
      old.host_id, old.network_id, old.name, old.service_definition
    ))
  execute function app.complete_part_of_host();
