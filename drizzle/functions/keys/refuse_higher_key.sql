-- Prevents a key from changing a key with a higher role. If a key outlives the caller's key, a change may remove rights
-- from it but not add any. The function is stable, so that it sees the caller's own key as it was before the statement,
-- which may delete it.
create or replace function app.refuse_higher_key() returns trigger
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if row_security_active(tg_relid) then
    perform app.require_role(greatest(old.role, new.role));
    if tg_op = 'INSERT' or (tg_op = 'UPDATE' and (
      new.role > old.role or (new.is_enabled and not old.is_enabled)
      or (old.is_limited_to_networks and not new.is_limited_to_networks)
      or coalesce(new.expires_at, 'infinity') > coalesce(old.expires_at, 'infinity')))
    then
      perform app.refuse_outliving(new.expires_at);
    end if;
  end if;
  return null;
end
$$;
