-- A statement of a key limited to networks that leaves a credential beyond its reach is undone. As
-- policies hide such assignments from its deletions, none can bring the credential within reach. Once
-- a statement and not, as a policy, once a row: 1,000 rows would each look at 1,000.
-- Not a security definer: cascades and the functions of this schema write as the owner.
create or replace function app.refuse_beyond_reach() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from changed) then
    return null;
  end if;
  if row_security_active('public.credentials') and not app.reaches_all_networks() and exists (
    select from (select distinct credential_id from changed) as written
    where not app.reaches_credential(written.credential_id))
  then
    perform app.abort('auth_scope_denied');
  end if;
  return null;
end
$$;
