-- Aborts the transaction with an API error that contains a code, parameters, and the presented key with its
-- organization. The key is looked up by its hash in user_api_key_secrets.
create or replace function app.abort(code text, params jsonb default '{}') returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  presented public.user_api_key_secrets;
begin
  select * into presented from public.user_api_key_secrets as secret
  where secret.key_hash = decode(nullif(current_setting('app.key_hash', true), ''), 'hex');
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
