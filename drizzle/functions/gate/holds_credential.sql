-- True if the key may change a credential in its current state. For a key limited to specific networks, the credential
-- must have an assignment within them. Such a key cannot change a credential without assignments, since by assigning
-- it, the key could decide where the credential's secret is sent.
create or replace function app.holds_credential(credential uuid) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
begin
  if app.reaches_all_networks() then
    return true;
  end if;
  -- Other guards handle a credential that does not exist.
  return app.reaches_credential(credential) and (
    not exists (
      select from public.credentials as known
      where known.organization_id = organization and known.id = credential)
    or exists (
      select from public.credential_networks as assigned
      where assigned.organization_id = organization and assigned.credential_id = credential)
    or exists (
      select from public.credential_hosts as assigned
      where assigned.organization_id = organization and assigned.credential_id = credential));
end
$$;

grant execute on function app.holds_credential to inventory_api;
