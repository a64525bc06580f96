-- Returns the number of milliseconds until a background job has something to do, at most `maximum`: 0 if a job has
-- something to do now. It covers the jobs whose time is promised in the API contract: polls, scheduled scans,
-- cancellations, stalled scans, deliveries, stale hosts, the retention of history and the deletion of organizations.
-- Suspended organizations have nothing to do. The other jobs delete rows that no longer have an effect or count usage,
-- and may wait until something is due or written.
--
-- The cheapest questions come first, and later ones are skipped if something is due within a minute. The conditions are
-- those of the jobs themselves: see claims.ts of daemons and of webhooks, schedules.ts, app.claim_scan_cancellations,
-- app.end_stalled_sessions, app.sweep_history, app.sweep_stale_hosts and app.sweep_organizations.
create or replace function app.ms_until_due(maximum bigint) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  soon constant timestamptz := now() + interval '1 minute';
  due timestamptz := now() + make_interval(secs => maximum / 1000.0);
begin
  -- A table contains the rows of all organizations, so this makes Postgres use an index wherever it can, as app.enter
  -- does.
  perform set_config('enable_seqscan', 'off', true);
  if exists (
    select from public.daemons as daemon
    where daemon.due_at <= soon and not app.is_suspended(daemon.organization_id))
  then
    return 0;
  end if;
  due := least(due,
    (select min(daemon.due_at) from public.daemons as daemon
      where daemon.due_at is not null and not app.is_suspended(daemon.organization_id)),
    (select min(daemon.next_scan_at) from public.daemons as daemon where daemon.next_scan_at is not null),
    (select min(cancellation.next_try_at) from app.scan_cancellations as cancellation),
    (select min(running.moved_at) + interval '5 minutes' from public.discovery_sessions as running
      where running.phase in ('Pending', 'Starting', 'Started', 'Scanning')
        and not app.is_suspended(running.organization_id)),
    (select min(owner.deletes_at) from public.organizations as owner));
  if due > soon then
    due := least(due, (
      select min(greatest(webhook.lease_expires_at, least(webhook.retry_at, case
        when (webhook.position_at, webhook.position_entity collate "C")
          < (app.newest_stamp(webhook.organization_id), '~')
        then webhook.newer_at end)))
      from public.webhooks as webhook
      where webhook.disabled_reason is null and (webhook.retry_at is not null or webhook.newer_at is not null)
        and not app.is_suspended(webhook.organization_id)));
  end if;
  if due > soon then
    due := least(due, (
      select min(case
        when greatest(owner.history_from, date_trunc('day', now(), 'UTC') - make_interval(hours => 24 * owner.history_days))
          > coalesce(sweep.swept_to, '-infinity')
        then now()
        when owner.history_days is not null then date_trunc('day', now(), 'UTC') + interval '1 day' end)
      from public.organizations as owner
      left join app.history_sweeps as sweep on sweep.organization_id = owner.id
      where owner.suspended_at is null));
  end if;
  if due > soon then
    due := least(due, (
      select min(case
        when host.is_stale <> app.is_stale(host.last_seen_at, network.stale_after_hours) then now()
        when not host.is_stale then host.last_seen_at + make_interval(hours => network.stale_after_hours) end)
      from app.stale_sweeps as sweep
      join public.networks as network on network.organization_id = sweep.organization_id
      join public.hosts as host
        on host.organization_id = network.organization_id and host.network_id = network.id and host.valid_to is null
      where not app.is_suspended(sweep.organization_id)));
  end if;
  return greatest(0, ceil(extract(epoch from due - now()) * 1000));
end
$$;

grant execute on function app.ms_until_due to inventory_poller;
