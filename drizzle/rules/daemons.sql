-- A daemon's host may be deleted. This must not change the daemon's network.
call app.constrain('daemons', 'daemons_host_fk', '
  FOREIGN KEY (organization_id, network_id, host_id)
  REFERENCES public.hosts(organization_id, network_id, current_id) ON DELETE SET NULL (host_id)');

alter table daemons enable row level security;
create policy tenant on daemons to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])));
create policy poller on daemons to inventory_poller using (true);
grant select, insert, delete on daemons to inventory_api;
grant update (
  updated_at, name, url, consecutive_failures, unreachable_since, next_poll_at, lease_expires_at,
  poll_generation, host_id, schedule_cron, schedule_timezone, next_scan_at, schedule_is_full_scan,
  receives_credentials, external_id, metadata
) on daemons to inventory_api;
grant select on daemons to inventory_poller;
grant update (
  version, last_seen_at, consecutive_failures, unreachable_since, last_error, last_error_http_status,
  last_error_at, next_poll_at, lease_expires_at, poll_generation, host_id, is_slow, introduced_at,
  next_scan_at, has_docker_socket, interfaced_cidrs
) on daemons to inventory_poller;

-- Trust in daemons: the right to receive credentials, and the running scans of deleted daemons.
create trigger judge_trust before update on daemons
  for each row when (
    current_user = 'inventory_api'
    and (new.receives_credentials, new.url) is distinct from (old.receives_credentials, old.url))
  execute function app.judge_daemon_trust();
create trigger judge_trust_of_new before insert on daemons
  for each row when (current_user = 'inventory_api') execute function app.judge_daemon_trust();
create trigger remember_running_scan before delete on daemons
  for each row execute function app.remember_running_scan();

-- The audit log.
create trigger audit_retried after update of consecutive_failures on daemons
  for each row when (
    current_user = 'inventory_api' and new.consecutive_failures < old.consecutive_failures)
  execute function app.audit_act('Daemon', 'retried');
