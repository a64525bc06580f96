-- Clears a host's `is_stale` in the write that records its next sighting. If an import reports a sighting that is
-- itself too old, the host stays stale.
create or replace function app.judge_seen_host() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  new.is_stale := app.is_stale(new.last_seen_at, (
    select network.stale_after_hours from public.networks as network
    where network.organization_id = new.organization_id and network.id = new.network_id));
  return new;
end
$$;
