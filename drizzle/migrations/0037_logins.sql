-- What whoever has a key or a login cannot do with it.

-- A key hands on nothing that lasts longer than itself. `ends`: when what it gives ends; null for never.
create function app.refuse_outliving(ends timestamptz) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  own timestamptz := (app.presented_key()).expires_at;
begin
  if own is not null and (ends is null or ends > own) then
    perform app.abort('auth_scope_denied');
  end if;
end
$$;
--> statement-breakpoint
grant execute on function app.refuse_outliving(timestamptz) to inventory_api;
--> statement-breakpoint
-- As in migration `keys`. A key that lasts longer than the caller's may lose by a change, not gain.
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
--> statement-breakpoint
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
      -- A key that is not limited gains nothing by networks: it is about to be limited to them.
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
--> statement-breakpoint
-- A plaintext that was replaced works a while longer, for programs that still have it. But whoever has
-- stolen it makes no keys that stay, and locks nobody out.
create function app.refuse_replaced_plaintext() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if exists (
    select from public.user_api_key_secrets as secret
    where secret.key_hash = decode(nullif(current_setting('app.key_hash', true), ''), 'hex')
      and secret.expires_at is not null)
  then
    perform app.abort('auth_scope_denied');
  end if;
  return null;
end
$$;
--> statement-breakpoint
do $$
declare
  written_table text;
begin
  foreach written_table in array
    array['user_api_keys', 'user_api_key_networks', 'user_api_key_secrets']
  loop
    execute format('create trigger refuse_replaced_plaintext before insert or update or delete on %I
      for each statement when (current_user = ''inventory_api'')
      execute function app.refuse_replaced_plaintext()', written_table);
  end loop;
end
$$;
--> statement-breakpoint
-- As in migration `keys`, with the same two rules.
create or replace function app.rotate_key(
  rotated_id uuid, new_hash bytea, new_hint text, overlap_seconds integer)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  presented public.user_api_keys := app.presented_key();
  rotated public.user_api_keys;
begin
  if presented.is_limited_to_networks then
    perform app.abort('auth_scope_denied');
  end if;
  if exists (
    select from public.user_api_key_secrets as secret
    where secret.key_hash = decode(current_setting('app.key_hash', true), 'hex')
      and secret.expires_at is not null)
  then
    perform app.abort('auth_scope_denied');
  end if;
  select * into rotated from public.user_api_keys as key
  where key.organization_id = presented.organization_id and key.id = rotated_id for no key update;
  if not found then
    perform app.abort('entity_not_found', jsonb_build_object('entity', 'ApiKey', 'id', rotated_id));
  end if;
  perform app.require_role(rotated.role);
  perform app.refuse_outliving(rotated.expires_at);
  update public.user_api_key_secrets as secret
  set expires_at = least(secret.expires_at, now() + make_interval(secs => overlap_seconds))
  where secret.organization_id = rotated.organization_id and secret.api_key_id = rotated_id;
  delete from public.user_api_key_secrets as secret
  where secret.organization_id = rotated.organization_id and secret.api_key_id = rotated_id
    and (overlap_seconds <= 0 or secret.expires_at <= now() or secret.key_hash not in (
      select lasting.key_hash from public.user_api_key_secrets as lasting
      where lasting.organization_id = rotated.organization_id and lasting.api_key_id = rotated_id
      order by lasting.expires_at desc limit 9));
  insert into public.user_api_key_secrets (organization_id, api_key_id, key_hash)
  values (rotated.organization_id, rotated_id, new_hash);
  update public.user_api_keys as key set key_hint = new_hint
  where key.organization_id = rotated.organization_id and key.id = rotated_id;
  if presented.id = rotated_id then
    perform set_config('app.key_hash', encode(new_hash, 'hex'), true);
  end if;
end
$$;
--> statement-breakpoint

-- Large objects belong to no organization. Where the migrating owner is no superuser, as with Neon, this
-- warns and changes nothing.
revoke execute on function lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea) from public;
