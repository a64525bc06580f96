-- Locks credentials with what changes with them, in the order of app.lock_records. What is sent is of new ones, or of one
-- that is replaced: of its sets only the difference changes, and what stays in one needs no lock, so that those who
-- change credentials of the same networks do not wait for each other.
--
-- The tags that it has already are read before it is locked, as tags come first. One that somebody else takes off in
-- between is put on again, and its foreign key keeps it then. Networks show their credentials, and are read once
-- credentials are locked, when nobody can change the set any more.
create or replace function app.lock_credentials(credential_ids uuid[], tag_ids uuid[], network_ids uuid[])
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  assigned_ids uuid[];
begin
  perform app.lock_records(
    tag_ids => array(
      select unnest(tag_ids) except
      select tagged.tag_id from public.credential_tags as tagged
      where tagged.organization_id = organization and tagged.credential_id = any (credential_ids)),
    credential_ids => credential_ids);
  assigned_ids := array(
    select assigned.network_id from public.credential_networks as assigned
    where assigned.organization_id = organization and assigned.credential_id = any (credential_ids));
  perform app.lock_records(network_ids => array(
    (select unnest(network_ids) except select unnest(assigned_ids)) union all
    (select unnest(assigned_ids) except select unnest(network_ids))));
end
$$;

grant execute on function app.lock_credentials(uuid[], uuid[], uuid[]) to inventory_api;
