-- Keeps the last version of deleted subnets as a closed row.
create or replace function app.keep_deleted_of_subnets() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  -- To insert nothing would fire the triggers of statements as well. What is closed is not kept twice.
  if not exists (select from deleted where valid_to is null) then
    return null;
  end if;
  -- All at once: to insert each by itself would fire the triggers of statements for each.
  insert into public.subnets (
    created_at, updated_at, revision, organization_id, network_id, last_seen_at, valid_from, valid_to,
    first_discovery_id, last_discovery_id, lineage_id, cidr, name, description, subnet_type, source)
  select
    gone.created_at, gone.updated_at, gone.revision, gone.organization_id, gone.network_id,
    gone.last_seen_at, gone.valid_from, change.closed_at, gone.first_discovery_id,
    gone.last_discovery_id, gone.id, gone.cidr, gone.name, gone.description, gone.subnet_type,
    gone.source
  from deleted as gone
    cross join lateral (select app.changed_at(gone.organization_id)) as change (closed_at)
  -- The organization goes with all its history. A version that lasted no time was never visible.
  where exists (select from public.organizations where id = gone.organization_id)
    and change.closed_at > gone.valid_from;
  return null;
end
$$;
