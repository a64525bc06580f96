-- Locks credentials with what changes with them, in the order of app.lock_records: the networks that they are
-- assigned to, and those that a caller assigns them to, show their credentials. What they are assigned to is
-- read once they are locked, when nobody can change it any more.
create or replace function app.lock_credentials(credential_ids uuid[], tag_ids uuid[], network_ids uuid[])
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
begin
  perform app.lock_records(tag_ids => tag_ids, credential_ids => credential_ids);
  perform app.lock_records(network_ids => network_ids || array(
    select assigned.network_id from public.credential_networks as assigned
    where assigned.organization_id = organization and assigned.credential_id = any (credential_ids)));
end
$$;

grant execute on function app.lock_credentials(uuid[], uuid[], uuid[]) to inventory_api;
