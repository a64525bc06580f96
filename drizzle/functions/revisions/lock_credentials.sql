-- Locks credentials that are created or deleted, together with the records that change with them, in the order of
-- app.lock_records: networks change too, since they list their credentials. The networks of deleted credentials are
-- read once these are locked, because no other transaction can change the sets from then on.
-- See also app.lock_replaced_credential.
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

grant execute on function app.lock_credentials to inventory_api;
