-- Issues a token for the presented key: see section 8 of the API contract. The token ends with the presented plaintext of
-- the key. Its role and networks are upper bounds, so they need not be checked against those of the key. Returns the key
-- and the time at which the token expires, in whole seconds, as in the signed token.
create or replace function app.issue_token(
  new_hash bytea, token_role public.role, token_subject text, token_networks uuid[], lifetime_seconds integer)
returns table (issuer_id uuid, ends_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  presented public.user_api_keys := app.presented_key();
  free_at timestamptz;
begin
  perform app.refuse_token();
  -- Locked, so that concurrently issued tokens are counted. The key is then read again: it may have been changed, rotated
  -- or deleted in the meantime.
  perform from public.user_api_keys as key
  where key.organization_id = presented.organization_id and key.id = presented.id for no key update;
  presented := app.presented_key();
  perform app.require_role(greatest('Admin', token_role));
  select token.expires_at into free_at from public.user_api_tokens as token
  where token.organization_id = presented.organization_id and token.api_key_id = presented.id
    and token.expires_at > clock_timestamp()
  order by token.expires_at desc offset app.maximum_tokens_of_key() - 1 limit 1;
  if free_at > clock_timestamp() then
    perform app.abort('rate_limit_exceeded', jsonb_build_object('limit', 'tokens_of_key',
      'retry_after_seconds', ceil(extract(epoch from free_at - clock_timestamp()))::integer));
  end if;
  return query
    insert into public.user_api_tokens as token (
      organization_id, api_key_id, key_hash, token_hash, role, subject, network_ids, expires_at)
    values (presented.organization_id, presented.id, decode(current_setting('app.key_hash', true), 'hex'), new_hash,
      token_role, token_subject, token_networks,
      date_trunc('second', least(now() + make_interval(secs => lifetime_seconds), presented.expires_at)))
    returning token.api_key_id, token.expires_at;
end
$$;

grant execute on function app.issue_token to inventory_api;
