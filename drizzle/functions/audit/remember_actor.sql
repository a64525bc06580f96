-- Saves the author of a key deletion for the audit log, as a key may delete itself. The setting is written before every
-- deletion, and read only if the presented key is gone, by which time its bearer can no longer write anything. So the
-- author cannot be forged.
create or replace function app.remember_actor() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform set_config('app.ended_actor', coalesce((
    select jsonb_build_object('organization_id', key.organization_id, 'id', key.id, 'name', key.name)::text
    from public.user_api_key_secrets as secret
    join public.user_api_keys as key
      on key.organization_id = secret.organization_id and key.id = secret.api_key_id
    where secret.key_hash = decode(nullif(current_setting('app.key_hash', true), ''), 'hex')), ''), true);
  return null;
end
$$;
