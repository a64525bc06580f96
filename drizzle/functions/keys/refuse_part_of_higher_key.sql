-- Like app.refuse_higher_key, for the parts of a key: its networks and its hashes.
create or replace function app.refuse_part_of_higher_key() returns trigger
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  changed record;
begin
  if row_security_active(tg_relid) then
    select key.role, key.expires_at, key.is_limited_to_networks into changed
    from public.user_api_keys as key
    where key.organization_id = coalesce(new.organization_id, old.organization_id)
      and key.id = coalesce(new.api_key_id, old.api_key_id);
    if found then
      perform app.require_role(changed.role);
      -- An unlimited key does not gain rights when networks are added: it is about to be limited to them.
      if tg_op = 'INSERT'
        and (tg_table_name = 'user_api_key_secrets' or changed.is_limited_to_networks)
      then
        perform app.refuse_outliving(changed.expires_at);
      end if;
    end if;
  end if;
  return null;
end
$$;
