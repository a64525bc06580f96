-- Limits the total number of addresses in all of a host's assignments, because responses that contain the host include
-- them. Credentials that are assigned concurrently can exceed the limit.
create or replace function app.bound_assigned_addresses() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if exists (
    select from (select distinct organization_id, host_id from changed) as host
    where exists (
      select from public.credential_hosts as assignment
      join public.credential_host_ip_addresses as address
        on address.organization_id = assignment.organization_id
          and address.credential_id = assignment.credential_id
          and address.host_id = assignment.host_id
      where assignment.organization_id = host.organization_id and assignment.host_id = host.host_id
      offset app.maximum_of_host()))
  then
    perform app.refuse_too_many('assigned addresses of one host', app.maximum_of_host());
  end if;
  return null;
end
$$;
