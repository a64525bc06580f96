-- Ensures that each organization keeps a key that can create all other keys and that never expires: if the last such
-- key expired, everybody would be locked out, and there would have been no request to reject. If all Owner keys already
-- have an expiry, one that is still valid is kept. Two transactions that each remove one of the last two keys run one
-- after the other, so that the second sees the result of the first. The function is a security definer because the
-- caller's own key may just have become invalid, and row-level security would abort the transaction because of that.
-- The triggers have a condition for the same reason.
create or replace function app.keep_owner_key() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  changed record;
begin
  select former.organization_id, former.id, former.expires_at into changed from former
  where former.role = 'Owner' and former.is_enabled and not former.is_limited_to_networks
    and (former.expires_at is null or former.expires_at > now())
  order by former.expires_at desc nulls first, former.id limit 1;
  if not found then
    return null;
  end if;
  perform from public.organizations as organization
  where organization.id = changed.organization_id for no key update;
  if not exists (
    select from public.user_api_keys as key
    where key.organization_id = changed.organization_id and key.role = 'Owner' and key.is_enabled
      and not key.is_limited_to_networks
      and (key.expires_at is null or changed.expires_at is not null and key.expires_at > now()))
  then
    perform app.abort('entity_in_use', jsonb_build_object(
      'entity', 'ApiKey', 'id', changed.id, 'used_by', jsonb_build_object('organizations', 1)));
  end if;
  return null;
end
$$;
