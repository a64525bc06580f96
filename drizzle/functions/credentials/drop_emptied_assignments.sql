-- Deletes an assignment limited to addresses once all its addresses are gone. An assignment without addresses must
-- neither turn into an assignment to the whole host nor remain without effect.
create or replace function app.drop_emptied_assignments() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from gone) then
    return null;
  end if;
  delete from public.credential_hosts as assignment
  using (select distinct organization_id, credential_id, host_id from gone) as emptied
  where assignment.organization_id = emptied.organization_id
    and assignment.credential_id = emptied.credential_id
    and assignment.host_id = emptied.host_id
    and assignment.is_limited_to_addresses
    and not exists (
      select from public.credential_host_ip_addresses as address
      where address.organization_id = emptied.organization_id
        and address.credential_id = emptied.credential_id and address.host_id = emptied.host_id);
  return null;
end
$$;
