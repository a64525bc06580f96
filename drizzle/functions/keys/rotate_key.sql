-- Replaces a key's plaintext. The previous plaintexts expire now or after `overlap_seconds`, but never later than they
-- would have anyway. The nine that expire last are kept, so a key has at most ten plaintexts. A caller that rotates its
-- own key continues as the bearer of the new plaintext. The rules of app.refuse_higher_key and app.refuse_outliving
-- apply.
create or replace function app.rotate_key(
  rotated_id uuid, new_hash bytea, new_hint text, overlap_seconds integer)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  presented public.user_api_keys := app.presented_key();
  rotated public.user_api_keys;
begin
  perform app.refuse_token();
  if presented.is_limited_to_networks then
    perform app.abort('auth_scope_denied');
  end if;
  if exists (
    select from public.user_api_key_secrets as secret
    where secret.key_hash = decode(current_setting('app.key_hash', true), 'hex')
      and secret.expires_at is not null)
  then
    perform app.abort('auth_scope_denied', jsonb_build_object('reason', 'replaced_plaintext'));
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
  if presented.id = rotated_id then
    perform set_config('app.key_hash', encode(new_hash, 'hex'), true);
  end if;
  insert into public.user_api_key_secrets (organization_id, api_key_id, key_hash)
  values (rotated.organization_id, rotated_id, new_hash);
  update public.user_api_keys as key set key_hint = new_hint
  where key.organization_id = rotated.organization_id and key.id = rotated_id;
end
$$;

grant execute on function app.rotate_key to inventory_api;
