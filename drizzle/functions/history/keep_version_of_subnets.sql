-- Keeps what a version of subnets was as a closed row of its own, once the changed row has left the interval.
create or replace function app.keep_version_of_subnets() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  closed_at timestamptz;
begin
  closed_at := new.valid_from;
  -- A version that lasted no time was never visible.
  if closed_at > old.valid_from then
    insert into public.subnets (
      created_at, updated_at, revision, organization_id, network_id, last_seen_at, valid_from, valid_to,
      first_discovery_id, last_discovery_id, lineage_id, cidr, name, description, subnet_type, source)
    values (
      old.created_at, old.updated_at, old.revision, old.organization_id, old.network_id,
      old.last_seen_at, old.valid_from, closed_at, old.first_discovery_id, old.last_discovery_id,
      old.id, old.cidr, old.name, old.description, old.subnet_type, old.source);
  end if;
  return null;
end
$$;
