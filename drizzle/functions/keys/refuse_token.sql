-- Aborts the transaction if a token was presented. Tokens cannot issue tokens, or create, change, rotate or delete keys:
-- both could outlast the token.
create or replace function app.refuse_token() returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  if (app.presented_token()).token_hash is not null then
    perform app.abort('auth_scope_denied', jsonb_build_object('reason', 'token'));
  end if;
end
$$;
