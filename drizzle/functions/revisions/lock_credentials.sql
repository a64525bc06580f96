-- Locks credentials with what changes with them, in the order of app.lock_records: networks show their credentials. What
-- is sent is of new ones, or of one that is replaced: then only the networks change that it loses or gets, and those
-- who change other credentials of the same networks need not wait. Which these are is read once the credential is
-- locked, when nobody can change the set any more.
create or replace function app.lock_credentials(credential_ids uuid[], tag_ids uuid[], network_ids uuid[])
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  assigned_ids uuid[];
begin
  perform app.lock_records(tag_ids => tag_ids, credential_ids => credential_ids);
  assigned_ids := array(
    select assigned.network_id from public.credential_networks as assigned
    where assigned.organization_id = organization and assigned.credential_id = any (credential_ids));
  perform app.lock_records(network_ids => array(
    (select unnest(network_ids) except select unnest(assigned_ids)) union all
    (select unnest(assigned_ids) except select unnest(network_ids))));
end
$$;

grant execute on function app.lock_credentials(uuid[], uuid[], uuid[]) to inventory_api;
