-- The organization of the key. Without a key: the organization of the visited daemon or the visited webhook. Policies
-- evaluate this and app.network_ids once per statement, in the form `(select …)`. Both look up the key themselves. If
-- the key is not valid, or the organization is suspended, app.presented_key aborts the transaction. If no key was
-- presented, it returns nulls, and then no rows are visible.
create or replace function app.organization_id() returns uuid
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid;
begin
  if nullif(current_setting('app.key_hash', true), '') is null then
    select visit.organization_id into organization from app.daemon_visits as visit
    where visit.transaction_id = pg_current_xact_id_if_assigned();
    return coalesce(organization, (
      select visit.organization_id from app.webhook_visits as visit
      where visit.transaction_id = pg_current_xact_id_if_assigned()));
  end if;
  select key.organization_id into organization
  from public.user_api_key_secrets as secret
  join public.user_api_keys as key
    on key.organization_id = secret.organization_id and key.id = secret.api_key_id
  join public.organizations as owner
    on owner.id = key.organization_id and owner.suspended_at is null
  where secret.key_hash = decode(nullif(current_setting('app.key_hash', true), ''), 'hex')
    and (secret.expires_at is null or secret.expires_at > now())
    and key.is_enabled and (key.expires_at is null or key.expires_at > now());
  return coalesce(organization, (app.presented_key()).organization_id);
end
$$;

grant execute on function app.organization_id to inventory_api;
