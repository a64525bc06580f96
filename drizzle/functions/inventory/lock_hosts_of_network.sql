-- Locks the hosts of a network that is being deleted together with them, in the order of their ids, as all writers that
-- change several hosts do.
create or replace function app.lock_hosts_of_network() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  latest timestamptz := app.latest_credible(old.organization_id);
  earliest timestamptz;
begin
  if app.is_kept(old.organization_id) then
    select max(locked.updated_at) + interval '1 millisecond' into earliest from (
      select host.updated_at from public.hosts as host
      where host.organization_id = old.organization_id and host.live_network_id = old.id
        and host.updated_at < latest
      order by host.id for no key update) as locked;
    perform app.changed_at(old.organization_id, earliest);
  end if;
  return old;
end
$$;
