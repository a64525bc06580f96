-- True if all assignments of a credential are within the key's networks, including assignments that row-level security
-- hides from the key. A credential without assignments is within every key's networks.
create or replace function app.reaches_credential(credential uuid) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  reached uuid[];
begin
  if app.reaches_all_networks() then
    return true;
  end if;
  reached := app.network_ids();
  return not exists (
    select from public.credential_networks as assigned
    where assigned.organization_id = organization and assigned.credential_id = credential
      and assigned.network_id <> all (reached)
  ) and not exists (
    select from public.credential_hosts as assigned
    join public.hosts as host
      on host.organization_id = assigned.organization_id and host.id = assigned.host_id
    where assigned.organization_id = organization and assigned.credential_id = credential
      and host.network_id <> all (reached));
end
$$;

grant execute on function app.reaches_credential to inventory_api;
