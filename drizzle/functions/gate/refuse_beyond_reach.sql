-- Rolls back a statement made with a key limited to specific networks if it leaves a credential with assignments
-- outside those networks. Policies hide such assignments from the key's deletions, so no deletion can bring the
-- credential back within the key's networks. This is a statement-level trigger rather than a row-level policy: a policy
-- would read 1,000 rows for each of 1,000 rows. The function is not a security definer: cascades and functions in this
-- schema write as the owner, so they are exempt.
create or replace function app.refuse_beyond_reach() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  -- A separate statement, since the one below contains a query, which takes longer to start.
  if not row_security_active('public.credentials') or app.reaches_all_networks() then
    return null;
  end if;
  if exists (
    select from (select distinct credential_id from changed) as written
    where not app.reaches_credential(written.credential_id))
  then
    perform app.abort('auth_scope_denied');
  end if;
  return null;
end
$$;
