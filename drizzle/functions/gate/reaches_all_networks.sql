-- True if the key is not limited to specific networks. A visited daemon is always limited; a visited webhook may be.
create or replace function app.reaches_all_networks() returns boolean
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp as $$
declare
  is_limited boolean;
begin
  select key.is_limited_to_networks into is_limited
  from public.user_api_key_secrets as secret
  join public.user_api_keys as key
    on key.organization_id = secret.organization_id and key.id = secret.api_key_id
  where secret.key_hash = decode(nullif(current_setting('app.key_hash', true), ''), 'hex')
    and (secret.expires_at is null or secret.expires_at > now())
    and key.is_enabled and (key.expires_at is null or key.expires_at > now());
  -- A separate statement, since the expression below contains a query and would be planned each time.
  if found then
    return not is_limited;
  end if;
  return not coalesce((app.presented_key()).is_limited_to_networks, not exists (
    select from app.webhook_visits as visit
    where visit.transaction_id = pg_current_xact_id_if_assigned() and visit.network_ids is null));
end
$$;

grant execute on function app.reaches_all_networks to inventory_api;
