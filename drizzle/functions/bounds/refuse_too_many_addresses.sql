-- Rejects more than 1,000 addresses in total across a credential's assignments.
create or replace function app.refuse_too_many_addresses() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from changed) then
    return null;
  end if;
  -- Two transactions that add addresses to one credential run one after the other, so that the second one counts what
  -- the first one added.
  perform from public.credentials as credential
  where (credential.organization_id, credential.id) in (
    select added.organization_id, added.credential_id from changed as added)
  order by credential.id for no key update;
  if exists (
    select from public.credential_host_ip_addresses as address
    where (address.organization_id, address.credential_id) in (
      select added.organization_id, added.credential_id from changed as added)
    group by address.organization_id, address.credential_id having count(*) > 1000)
  then
    raise exception 'a credential has at most 1000 addresses'
      using errcode = 'check_violation', constraint = 'credential_host_ip_addresses_maximum';
  end if;
  return null;
end
$$;
