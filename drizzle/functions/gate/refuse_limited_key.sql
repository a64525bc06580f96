-- Prevents keys limited to specific networks from writing records above the network level. A trigger raises the right
-- error, while a policy would raise its own or skip rows. Like all rules for callers, it does not apply to cascades,
-- functions in this schema or commands, which write as the owner.
create or replace function app.refuse_limited_key() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if row_security_active(tg_relid) and not app.reaches_all_networks() then
    perform app.abort('auth_scope_denied');
  end if;
  return null;
end
$$;
