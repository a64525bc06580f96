-- The operator key presented in this transaction. As with the keys of organizations, any session can set `app.key_hash`,
-- but only the holder of an operator key knows its hash. Aborts the transaction unless the key is valid. For a key or
-- token of an organization, the error is 401 if it is not valid, and 403 otherwise.
create or replace function app.presented_operator() returns app.operator_keys
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  presented app.operator_keys;
begin
  select * into presented from app.operator_keys as key
  where key.key_hash = decode(nullif(current_setting('app.key_hash', true), ''), 'hex');
  if not found then
    if (app.presented_key()).id is null then
      perform app.abort('auth_not_authenticated');
    end if;
    perform app.abort('auth_operator_required');
  end if;
  if presented.revoked_at is not null then
    perform app.abort('auth_key_disabled');
  end if;
  if presented.expires_at <= now() then
    perform app.abort('auth_key_expired', jsonb_build_object('expired_at',
      to_char(presented.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
  end if;
  return presented;
end
$$;
