alter table networks enable row level security;
create policy tenant on networks to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or id = any ((select app.network_ids())::uuid[])));
grant select, insert, delete on networks to inventory_api;
grant update (name, description, stale_after_hours, external_id, metadata) on networks to inventory_api;

-- Relations between records.
create trigger lock_hosts before delete on networks
  for each row execute function app.lock_hosts_of_network();

create trigger leave_webhooks after delete on networks
  referencing old table as deleted for each statement execute function app.leave_webhooks();

-- Stale hosts.
create trigger sweep_created after insert on networks
  for each row when (new.stale_after_hours is not null) execute function app.begin_stale_sweep();
create trigger sweep_changed after update of stale_after_hours on networks
  for each row when (new.stale_after_hours is distinct from old.stale_after_hours)
  execute function app.begin_stale_sweep();
