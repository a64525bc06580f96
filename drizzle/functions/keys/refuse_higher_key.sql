-- A key changes no key of a higher role. One that lasts longer than the caller's may lose by a change, not
-- gain. Stable, so that it sees the caller's own key as it was before the statement that may delete it.
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
