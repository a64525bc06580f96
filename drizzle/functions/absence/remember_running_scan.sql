-- Requests the cancellation of a deleted daemon's running scans. This includes a daemon that is deleted with its
-- network, but not one that is deleted with its organization.
create or replace function app.remember_running_scan() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  maximum constant integer := 100;
begin
  insert into app.scan_cancellations (organization_id, session_id, daemon_id, url, sealed_token)
  select session.organization_id, session.id, old.id, old.url, secret.sealed
  from public.discovery_sessions as session
  join public.daemon_secrets as secret on secret.organization_id = session.organization_id
    and secret.daemon_id = session.daemon_id and secret.field = 'token'
  where session.organization_id = old.organization_id and session.daemon_id = old.id
    and app.is_kept(session.organization_id)
    and session.phase in ('Pending', 'Starting', 'Started', 'Scanning')
    and (select count(*) < maximum from app.scan_cancellations as waiting
      where waiting.organization_id = old.organization_id)
  on conflict do nothing;
  return old;
end
$$;
