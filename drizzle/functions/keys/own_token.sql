-- The token presented in this transaction, with its current rights, which its key may limit. No row for a key.
create or replace function app.own_token()
returns table (subject text, permissions public.role, network_ids uuid[], expires_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  presented constant public.user_api_keys := app.presented_key();
  token constant public.user_api_tokens := app.presented_token();
begin
  if token.token_hash is not null then
    return query select token.subject, presented.role,
      case when presented.is_limited_to_networks then app.network_ids() end, presented.expires_at;
  end if;
end
$$;

grant execute on function app.own_token to inventory_api;
