-- What lies above networks is not for keys that are limited to some. In triggers, which raise the
-- right error where a policy would raise its own or skip rows. Like all rules for callers below, it
-- does not hold for cascades, functions of this schema and commands: they write as the owner.
create or replace function app.refuse_limited_key() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if row_security_active(tg_relid) and not app.reaches_all_networks() then
    perform app.abort('auth_scope_denied');
  end if;
  return null;
end
$$;
