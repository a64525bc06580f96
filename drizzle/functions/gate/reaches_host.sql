-- Whether a host lies in one of these networks: those of the key. A policy that read the hosts themselves would
-- have their policy planned with each statement, also of keys that are limited to none.
create or replace function app.reaches_host(organization uuid, host uuid, networks uuid[]) returns boolean
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp as $$
begin
  return exists (
    select from public.hosts as record
    where record.organization_id = organization and record.current_id = host
      and record.network_id = any (networks));
end
$$;

grant execute on function app.reaches_host(uuid, uuid, uuid[]) to inventory_api;
