-- Foreign keys look up hosts by organization, network and id. Without statistics, or if it assumed that the first two
-- columns were independent, the planner would read all hosts of the network for each row.
create statistics if not exists hosts_of_networks (dependencies) on organization_id, network_id from hosts;

alter table hosts enable row level security;
create policy tenant on hosts to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])));
grant select, insert, delete on hosts to inventory_api;
grant update (
  name, last_seen_at, last_discovery_id, hostname, description, hidden, virtualization, sys_name,
  sys_descr, sys_object_id, sys_location, sys_contact, management_url, chassis_id, manufacturer, model,
  serial_number, discovered, operating_system, evidence, external_id, metadata
) on hosts to inventory_api;

-- The staleness of hosts: callers cannot write `is_stale`. These triggers fire before the history triggers, which then
-- see the change.
create trigger history_1_judge_created before insert on hosts
  for each row when (new.is_stale and row_security_active('hosts'::regclass))
  execute function app.judge_seen_host();
create trigger history_1_judge_seen before update on hosts
  for each row when (old.is_stale and old.valid_to is null and new.last_seen_at > old.last_seen_at)
  execute function app.judge_seen_host();

-- Relations between records.
create trigger refuse_other_network before update on hosts
  for each row when (new.network_id <> old.network_id) execute function app.refuse_other_network();
