-- True if the target of an assignment still exists: the host, and its address if one is given. This includes targets
-- that row-level security hides from the key.
create or replace function app.keeps_assignment(organization uuid, host uuid, ip_address uuid) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return exists (
    select from public.hosts as record
    where record.organization_id = organization and record.current_id = host
  ) and (ip_address is null or exists (
    select from public.ip_addresses as record
    where record.organization_id = organization and record.host_id = host and record.current_id = ip_address));
end
$$;

grant execute on function app.keeps_assignment to inventory_api;
