-- The author of changes to an organization in this transaction, with its current name. A token is identified by its key
-- and named by its subject. An operator key can be the author in every organization. The database owner, who seeds data and runs commands, is identified as the system. The
-- function does not check whether the key is valid, so it also names a key that has just invalidated itself.
create or replace function app.current_actor(
  organization uuid,
  out actor_type text, out actor_id uuid, out actor_name text, out request_id text, out discovery_id uuid)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  hash constant text := nullif(current_setting('app.key_hash', true), '');
  ended constant text := nullif(current_setting('app.ended_actor', true), '');
  token public.user_api_tokens;
begin
  select key.id, key.name into actor_id, actor_name
  from public.user_api_key_secrets as secret
  join public.user_api_keys as key
    on key.organization_id = secret.organization_id and key.id = secret.api_key_id
  where secret.key_hash = decode(hash, 'hex') and secret.organization_id = organization;
  if actor_id is null and hash is not null then
    token := app.presented_token();
    if token.organization_id = organization then
      actor_id := token.api_key_id;
      actor_name := token.subject;
    end if;
  end if;
  -- A key that deletes itself: see app.remember_actor.
  if actor_id is null and hash is not null and ended::jsonb ->> 'organization_id' = organization::text then
    actor_id := (ended::jsonb ->> 'id')::uuid;
    actor_name := ended::jsonb ->> 'name';
  end if;
  if actor_id is not null then
    discovery_id := nullif(current_setting('app.import_id', true), '')::uuid;
    actor_type := case when discovery_id is not null then 'import'
      when token.token_hash is not null then 'token' else 'key' end;
    request_id := left(nullif(current_setting('app.request_id', true), ''), 64);
    return;
  end if;
  if hash is not null then
    select key.id, key.name into actor_id, actor_name
    from app.operator_keys as key where key.key_hash = decode(hash, 'hex');
    if found then
      actor_type := 'operator';
      request_id := left(nullif(current_setting('app.request_id', true), ''), 64);
      return;
    end if;
  end if;
  select 'daemon', daemon.id, daemon.name, app.visit_discovery()
  into actor_type, actor_id, actor_name, discovery_id
  from app.daemon_visits as visit
  join public.daemons as daemon
    on daemon.organization_id = visit.organization_id and daemon.id = visit.daemon_id
  where visit.transaction_id = pg_current_xact_id_if_assigned()
    and visit.organization_id = organization;
  actor_type := coalesce(actor_type, 'system');
end
$$;
