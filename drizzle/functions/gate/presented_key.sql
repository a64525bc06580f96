-- The key presented in this transaction, or a row of nulls if none was presented. This takes two look-ups: one for the
-- hash in user_api_key_secrets, and one for the key. Any session can set `app.key_hash`, but only the holder of a key
-- knows its hash, and the table alone decides what the key may see. Aborts the transaction if the key is invalid or
-- its organization is suspended, even if that was not yet so at the gate. The returned `expires_at` is the time at which
-- the presented plaintext expires: the expiry of the key, or an earlier time if the key was rotated.
--
-- If a token was presented, this is the key that issued it, limited to the token: the lower role, the earlier expiry,
-- and limited to specific networks if either is. The plaintext that issued the token must still be valid.
create or replace function app.presented_key() returns public.user_api_keys
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp as $$
declare
  -- A setting made by an earlier transaction on the same connection reads as '', not as null.
  hash text := nullif(current_setting('app.key_hash', true), '');
  secret public.user_api_key_secrets;
  token public.user_api_tokens;
  presented public.user_api_keys;
begin
  if hash is null then
    return null;
  end if;
  select * into secret from public.user_api_key_secrets as stored
  where stored.key_hash = decode(hash, 'hex');
  if not found then
    token := app.presented_token();
    select * into secret from public.user_api_key_secrets as stored
    where stored.key_hash = token.key_hash;
    if not found then
      perform app.abort('auth_not_authenticated');
    end if;
  end if;
  select * into presented from public.user_api_keys as key
  where key.organization_id = secret.organization_id and key.id = secret.api_key_id;
  presented.expires_at := least(presented.expires_at, secret.expires_at);
  if token.token_hash is not null then
    if token.expires_at <= now() then
      perform app.abort('auth_token_expired', jsonb_build_object('expired_at',
        to_char(token.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
    end if;
    -- The same error as for an unknown token: its bearer can only get a new one, whatever happened to the key.
    if presented.expires_at <= now() or not presented.is_enabled then
      perform app.abort('auth_not_authenticated');
    end if;
    presented.role := least(presented.role, token.role);
    presented.expires_at := least(presented.expires_at, token.expires_at);
    presented.is_limited_to_networks := presented.is_limited_to_networks or token.network_ids is not null;
    perform app.refuse_suspended(presented.organization_id);
    return presented;
  end if;
  if presented.expires_at <= now() then
    perform app.abort('auth_key_expired', jsonb_build_object('expired_at',
      to_char(presented.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
  end if;
  if not presented.is_enabled then
    perform app.abort('auth_key_disabled');
  end if;
  perform app.refuse_suspended(presented.organization_id);
  return presented;
end
$$;
