alter table discovery_sessions enable row level security;
create policy tenant on discovery_sessions to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])));
create policy poller on discovery_sessions to inventory_poller using (true);
grant select, insert on discovery_sessions to inventory_api;
grant update (phase, finished_at, cancel_requested_at) on discovery_sessions to inventory_api;
grant select, insert on discovery_sessions to inventory_poller;
grant update (
  phase, progress, hosts_discovered, estimated_remaining_secs, error, started_at, finished_at, moved_at,
  settled_at, is_full_scan, initiated_at
) on discovery_sessions to inventory_poller;

-- Limits.
create trigger bound_sessions before insert on discovery_sessions
  for each row when (current_user = 'inventory_api') execute function app.bound_sessions();

-- Relations between records.
create trigger forget_unsettled after update on discovery_sessions
  for each row when (new.phase in ('Failed', 'Cancelled') and old.phase <> new.phase)
  execute function app.forget_unsettled();
create trigger keep_forward before update on discovery_sessions
  for each row execute function app.keep_session_forward();

-- Onboarding milestones.
create trigger reach_milestone after update on discovery_sessions
  for each row when (new.phase = 'Complete') execute function app.reach_session_milestone();

-- The audit log: only scans that callers request; scheduled scans are created by the poller.
create trigger audit_scanned after insert on discovery_sessions
  for each row when (current_user = 'inventory_api') execute function app.audit_act('Daemon', 'scanned');
create trigger audit_cancelled after update of cancel_requested_at on discovery_sessions
  for each row when (current_user = 'inventory_api' and old.cancel_requested_at is null)
  execute function app.audit_act('Daemon', 'cancelled');
