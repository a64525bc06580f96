alter table subnets enable row level security;
create policy tenant on subnets to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])));
grant select, insert, delete on subnets to inventory_api;
grant update (
  last_seen_at, last_discovery_id, cidr, name, description, subnet_type, external_id, metadata
) on subnets to inventory_api;

-- Relations between records.
create trigger empty before delete on subnets
  for each row execute function app.empty_subnet();
create trigger fit before update on subnets
  for each row when (old.valid_to is null and new.cidr <> old.cidr) execute function app.fit_subnet();
create trigger refuse_other_network before update on subnets
  for each row when (new.network_id <> old.network_id) execute function app.refuse_other_network();
