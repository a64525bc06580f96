-- Like app.refuse_beyond_reach, for deleted assignments to hosts and addresses. An assignment that is deleted with its
-- host or address is not a change to the credential: a key may delete anything in its networks, even if the credential
-- is also assigned elsewhere. A cascade cannot be recognized directly, as its triggers run at the end of the statement
-- that started it, under that statement's role. So this function checks whether the target still exists.
create or replace function app.refuse_unassignment_beyond_reach() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  written uuid[];
begin
  if not row_security_active('public.credentials') or app.reaches_all_networks() then
    return null;
  end if;
  if tg_table_name = 'credential_hosts' then
    written := array(
      select distinct changed.credential_id from changed
      where app.keeps_assignment(changed.organization_id, changed.host_id, null));
  else
    written := array(
      select distinct changed.credential_id from changed
      where app.keeps_assignment(changed.organization_id, changed.host_id, changed.ip_address_id));
  end if;
  if exists (
    select from unnest(written) as credential (id) where not app.reaches_credential(credential.id))
  then
    perform app.abort('auth_scope_denied');
  end if;
  return null;
end
$$;
