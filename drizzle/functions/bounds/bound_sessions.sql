-- Limits scans: per daemon, at most ten scans can be waiting or running, and at most 300 can be requested within 24
-- hours. Without the daily maximum, a caller who alternately requests and cancels scans would fill the table, which
-- keeps scans for 90 days. Two callers that each add a scan run one after the other, so that the second one counts the
-- first one's scan. Across all of an organization's daemons, including deleted ones, at most 10,000 scans can be
-- requested within 24 hours; concurrent callers can exceed this. Scheduled scans are limited by their schedule, and do
-- not count towards the daily maximum.
create or replace function app.bound_sessions() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  maximum constant integer := 10;
  maximum_of_day constant integer := 300;
  maximum_of_organization constant integer := 10000;
  waiting integer;
  earliest timestamptz;
begin
  perform from public.daemons as daemon
  where daemon.organization_id = new.organization_id and daemon.id = new.daemon_id
  for no key update;
  select count(*) into waiting from public.discovery_sessions as session
  where session.organization_id = new.organization_id and session.daemon_id = new.daemon_id
    and session.finished_at is null;
  if waiting >= maximum then
    perform app.abort('too_many_scans',
      jsonb_build_object('id', new.daemon_id, 'maximum', maximum));
  end if;
  -- The request time of the scan that must be a day old before another scan can be requested.
  select session.created_at into earliest from public.discovery_sessions as session
  where session.organization_id = new.organization_id and session.daemon_id = new.daemon_id
    and session.created_at > now() - interval '1 day' and not session.is_scheduled
  order by session.created_at desc offset maximum_of_day - 1 limit 1;
  if found then
    perform app.abort('rate_limit_exceeded', jsonb_build_object('limit', 'scans_of_daemon',
      'retry_after_seconds',
      greatest(1, ceil(extract(epoch from earliest + interval '1 day' - now()))::integer)));
  end if;
  select requested.requested_at into earliest from app.requested_scans as requested
  where requested.organization_id = new.organization_id
    and requested.requested_at > now() - interval '1 day'
  order by requested.requested_at desc offset maximum_of_organization - 1 limit 1;
  if found then
    perform app.abort('rate_limit_exceeded', jsonb_build_object('limit', 'scans_of_organization',
      'retry_after_seconds',
      greatest(1, ceil(extract(epoch from earliest + interval '1 day' - now()))::integer)));
  end if;
  insert into app.requested_scans (organization_id, requested_at) values (new.organization_id, now());
  return new;
end
$$;
