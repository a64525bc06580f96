-- Locks credentials together with the records that change with them, in the order of app.lock_records: networks change
-- too, since they list their credentials. The parameters describe new credentials, or one that is replaced. In a
-- replacement, only the networks that the credential loses or gains change, so writers of other credentials in the same
-- networks do not wait. These networks are read once the credential is locked, because no other transaction can change
-- the set from then on.
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

grant execute on function app.lock_credentials to inventory_api;
