-- Keeps what a version of ports was as a closed row of its own, once the changed row has left the interval.
create or replace function app.keep_version_of_ports() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  closed_at timestamptz;
begin
  closed_at := new.valid_from;
  -- A version that lasted no time was never visible.
  if closed_at > old.valid_from then
    insert into public.ports (
      created_at, updated_at, organization_id, network_id, host_id, number, protocol, revision,
      last_seen_at, valid_from, valid_to, first_discovery_id, last_discovery_id, lineage_id)
    values (
      old.created_at, old.updated_at, old.organization_id, old.network_id, old.host_id, old.number,
      old.protocol, old.revision, old.last_seen_at, old.valid_from, closed_at, old.first_discovery_id,
      old.last_discovery_id, old.id);
  end if;
  return null;
end
$$;
