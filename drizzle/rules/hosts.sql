-- Every report writes all that it sees again: when that was, which no index has. A row whose page has room for
-- its new version stays in the indexes as it is.
alter table hosts set (fillfactor = 50);

-- Foreign keys look hosts up by organization, network and id. A planner that knows nothing of the table, or
-- takes the first two for independent, reads all hosts of the network for each row.
create statistics if not exists hosts_of_networks (dependencies) on organization_id, network_id from hosts;

alter table hosts enable row level security;
create policy tenant on hosts to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])));
grant select, insert, delete on hosts to inventory_api;
grant update (
  name, last_seen_at, last_discovery_id, hostname, description, hidden, virtualization, sys_name,
  sys_descr, sys_object_id, sys_location, sys_contact, management_url, chassis_id, manufacturer, model,
  serial_number, discovered, operating_system, evidence
) on hosts to inventory_api;

-- Whether a host is stale, which callers cannot write. Fires before the triggers of history, which then see the change.
create trigger history_1_judge_created before insert on hosts
  for each row when (new.is_stale and row_security_active('hosts'::regclass))
  execute function app.judge_seen_host();
create trigger history_1_judge_seen before update on hosts
  for each row when (old.is_stale and old.valid_to is null and new.last_seen_at > old.last_seen_at)
  execute function app.judge_seen_host();

-- What records are to each other.
create trigger refuse_other_network before update on hosts
  for each row when (new.network_id <> old.network_id) execute function app.refuse_other_network();

-- Milestones of onboarding.
create trigger reach_milestones after insert on hosts
  referencing new table as added for each statement execute function app.reach_host_milestone();
