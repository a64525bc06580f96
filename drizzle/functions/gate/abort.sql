-- Aborts the transaction with an API error that contains a code, parameters, and the presented key, or the key that
-- issued the presented token, with its organization. The key is looked up by the hash.
create or replace function app.abort(code text, params jsonb default '{}') returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  presented public.user_api_key_secrets;
begin
  select * into presented from public.user_api_key_secrets as secret
  where secret.key_hash = decode(nullif(current_setting('app.key_hash', true), ''), 'hex');
  if not found then
    select token.organization_id, token.api_key_id into presented.organization_id, presented.api_key_id
    from app.presented_token() as token;
  end if;
  raise exception using
    errcode = 'INV01',
    message = code,
    detail = jsonb_build_object(
      'code', code,
      'params', params,
      'key_id', presented.api_key_id,
      'organization_id', presented.organization_id)::text;
end
$$;

grant execute on function app.abort to inventory_api;
