-- Restricts a replaced plaintext, which stays valid for a while for programs that still have it. If it was stolen, it
-- must not be able to create keys that outlast it, or to lock anybody out. The same applies to tokens.
create or replace function app.refuse_replaced_plaintext() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.refuse_token();
  if exists (
    select from public.user_api_key_secrets as secret
    where secret.key_hash = decode(nullif(current_setting('app.key_hash', true), ''), 'hex')
      and secret.expires_at is not null)
  then
    perform app.abort('auth_scope_denied', jsonb_build_object('reason', 'replaced_plaintext'));
  end if;
  return null;
end
$$;
