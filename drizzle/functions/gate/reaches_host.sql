-- True if a host is in one of the given networks, which are those of the key. If a policy read the hosts itself, the
-- hosts' own policy would be planned with each statement, even for keys without a limit.
create or replace function app.reaches_host(organization uuid, host uuid, networks uuid[]) returns boolean
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp as $$
begin
  return exists (
    select from public.hosts as record
    where record.organization_id = organization and record.current_id = host
      and record.network_id = any (networks));
end
$$;

grant execute on function app.reaches_host to inventory_api;
