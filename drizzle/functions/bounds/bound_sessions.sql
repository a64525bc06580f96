-- At most ten scans of a daemon wait or run, and at most 300 are asked for in 24 hours: to scan and to
-- cancel in turns would fill the table else, where scans stay for 90 days. Two callers that add one follow
-- each other, so that the second counts the first one's. Of all daemons of an organization, those that are
-- gone since included, at most 10,000 are asked for; callers at the same moment may come beyond it. Scans
-- of a schedule are bounded by it, and do not count for the day.
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
  -- When the scan was asked for that has to be a day old before the next one.
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
