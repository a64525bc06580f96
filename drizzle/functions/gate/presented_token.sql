-- The token presented in this transaction, valid or not, or a row of nulls if a key or nothing was presented. As with
-- keys, any session can set `app.key_hash`, but only the bearer of a token knows its secret id, whose hash this is.
create or replace function app.presented_token() returns public.user_api_tokens
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp as $$
declare
  token public.user_api_tokens;
begin
  select * into token from public.user_api_tokens as issued
  where issued.token_hash = decode(nullif(current_setting('app.key_hash', true), ''), 'hex');
  return token;
end
$$;
