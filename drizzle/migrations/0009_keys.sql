-- The gate finds keys by the hashes in user_api_key_secrets: one look-up there, and one of the key.
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
--> statement-breakpoint
-- As in migration `hardening`. The `expires_at` of what it returns is when the presented plaintext
-- ends: with the key, or before it where the key was rotated.
create or replace function app.presented_key() returns public.user_api_keys
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp as $$
declare
  -- A setting that a transaction made reads as '' in the next one on the connection, not as null.
  hash text := nullif(current_setting('app.key_hash', true), '');
  secret public.user_api_key_secrets;
  presented public.user_api_keys;
begin
  if hash is null then
    return null;
  end if;
  select * into secret from public.user_api_key_secrets as stored
  where stored.key_hash = decode(hash, 'hex');
  if not found then
    perform app.abort('auth_not_authenticated');
  end if;
  select * into presented from public.user_api_keys as key
  where key.organization_id = secret.organization_id and key.id = secret.api_key_id;
  presented.expires_at := least(presented.expires_at, secret.expires_at);
  if presented.expires_at <= now() then
    perform app.abort('auth_key_expired', jsonb_build_object('expired_at',
      to_char(presented.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
  end if;
  if not presented.is_enabled then
    perform app.abort('auth_key_disabled');
  end if;
  return presented;
end
$$;
--> statement-breakpoint
create or replace function app.organization_id() returns uuid
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid;
begin
  select key.organization_id into organization
  from public.user_api_key_secrets as secret
  join public.user_api_keys as key
    on key.organization_id = secret.organization_id and key.id = secret.api_key_id
  where secret.key_hash = decode(nullif(current_setting('app.key_hash', true), ''), 'hex')
    and (secret.expires_at is null or secret.expires_at > now())
    and key.is_enabled and (key.expires_at is null or key.expires_at > now());
  return coalesce(organization, (app.presented_key()).organization_id);
end
$$;
--> statement-breakpoint
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
  return not coalesce(is_limited, (app.presented_key()).is_limited_to_networks, true);
end
$$;
--> statement-breakpoint
create or replace function app.network_ids() returns uuid[]
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp as $$
declare
  presented public.user_api_keys := app.presented_key();
begin
  return array(
    select reached.network_id from public.user_api_key_networks as reached
    where reached.organization_id = presented.organization_id and reached.api_key_id = presented.id
    order by reached.network_id);
end
$$;
--> statement-breakpoint
-- The id of the presented key; null where none was.
create function app.key_id() returns uuid
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp as $$
begin
  return (app.presented_key()).id;
end
$$;
--> statement-breakpoint
-- The role of the presented key; null where none was.
create function app.key_role() returns public.role
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp as $$
begin
  return (app.presented_key()).role;
end
$$;
--> statement-breakpoint

-- The gate (migration `hardening`) now says the role of the key as well.
alter function app.enter(bytea, public.role, integer, boolean) rename to enter_without_role;
--> statement-breakpoint
create function app.enter(
  presented_hash bytea, required_role public.role, deadline_ms integer,
  needs_all_networks boolean default false)
returns table (key_id uuid, organization_id uuid, reach text, key_role public.role)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  presented public.user_api_keys;
begin
  perform set_config('app.key_hash', encode(presented_hash, 'hex'), true);
  presented := app.presented_key();
  if presented.id is null then
    perform app.abort('auth_not_authenticated');
  end if;
  if presented.role < required_role then
    perform app.abort('auth_permission_denied',
      jsonb_build_object('required_role', required_role, 'role', presented.role));
  end if;
  if needs_all_networks and presented.is_limited_to_networks then
    perform app.abort('auth_scope_denied');
  end if;

  -- Once a minute, and never waiting for another request of the same key.
  if presented.last_used_at is null or presented.last_used_at < now() - interval '1 minute' then
    update public.user_api_keys as key set last_used_at = now()
    where key.organization_id = presented.organization_id and key.id = (
      select locked.id from public.user_api_keys as locked
      where locked.organization_id = presented.organization_id and locked.id = presented.id
      for no key update skip locked);
  end if;

  perform set_config('TimeZone', 'UTC', true);
  perform set_config('statement_timeout', deadline_ms::text, true);
  -- Workers are started for each count of a large organization, which takes longer than they save.
  perform set_config('max_parallel_workers_per_gather', '0', true);
  return query select presented.id, presented.organization_id,
    case when presented.is_limited_to_networks
      then encode(sha256(convert_to(app.network_ids()::text, 'UTF8')), 'hex') else 'all' end,
    presented.role;
end
$$;
--> statement-breakpoint
do $$
declare
  login name;
begin
  for login in
    select pg_get_userbyid(granted.grantee)
    from pg_catalog.pg_proc as gate, aclexplode(gate.proacl) as granted
    where gate.oid = 'app.enter_without_role(bytea, public.role, integer, boolean)'::regprocedure
      and granted.grantee not in (0, gate.proowner)
  loop
    execute format(
      'grant execute on function app.enter(bytea, public.role, integer, boolean) to %I', login);
  end loop;
end
$$;
--> statement-breakpoint
drop function app.enter_without_role(bytea, public.role, integer, boolean);
--> statement-breakpoint

-- Who sees what of the new tables. Every key sees the keys of its organization, and of their
-- networks those that it reaches; hashes are for the gate alone.
call app.protect('user_api_keys');
--> statement-breakpoint
call app.protect('user_api_key_networks', 'network_id');
--> statement-breakpoint
call app.protect('network_tags', 'network_id');
--> statement-breakpoint
alter table user_api_key_secrets enable row level security;
--> statement-breakpoint
create policy tenant on user_api_key_secrets for insert to inventory_api
  with check (organization_id = (select app.organization_id()));
--> statement-breakpoint
alter table idempotency_keys enable row level security;
--> statement-breakpoint
alter table daemon_tags enable row level security;
--> statement-breakpoint
create policy tenant on daemon_tags to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or exists (
    select from daemons where daemons.organization_id = daemon_tags.organization_id
      and daemons.id = daemon_tags.daemon_id)));
--> statement-breakpoint
-- Whether a key may change a credential as it is. One that is limited to networks needs an assignment
-- within them: a credential without any is nobody's in particular, and its secret would go wherever
-- such a key assigns it.
create function app.holds_credential(credential uuid) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
begin
  if app.reaches_all_networks() then
    return true;
  end if;
  -- What does not exist is for other guards.
  return app.reaches_credential(credential) and (
    not exists (
      select from public.credentials as known
      where known.organization_id = organization and known.id = credential)
    or exists (
      select from public.credential_networks as assigned
      where assigned.organization_id = organization and assigned.credential_id = credential)
    or exists (
      select from public.credential_hosts as assigned
      where assigned.organization_id = organization and assigned.credential_id = credential));
end
$$;
--> statement-breakpoint
grant execute on function app.holds_credential(uuid) to inventory_api;
--> statement-breakpoint
alter policy reach on credentials
  using ((select app.reaches_all_networks()) or app.holds_credential(id));
--> statement-breakpoint
create policy reach_of_deletion on credentials as restrictive for delete to inventory_api
  using ((select app.reaches_all_networks()) or app.holds_credential(id));
--> statement-breakpoint
grant select on daemon_tags to inventory_api;
--> statement-breakpoint
grant insert, delete on networks, network_tags, tags, credentials, daemons, daemon_tags,
  user_api_keys, user_api_key_networks to inventory_api;
--> statement-breakpoint
grant insert on user_api_key_secrets to inventory_api;
--> statement-breakpoint
grant update (name, description) on networks to inventory_api;
--> statement-breakpoint
grant update (name, description, color) on tags to inventory_api;
--> statement-breakpoint
grant update (name, url) on daemons to inventory_api;
--> statement-breakpoint
grant update (name, key_hint, role, is_enabled, is_limited_to_networks, expires_at)
  on user_api_keys to inventory_api;
--> statement-breakpoint

-- What lies above networks is not for keys that are limited to some. In triggers, which raise the
-- right error where a policy would raise its own or skip rows. Like all rules for callers below, it
-- does not hold for cascades, functions of this schema and commands: they write as the owner.
create function app.refuse_limited_key() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if row_security_active(tg_relid) and not app.reaches_all_networks() then
    perform app.abort('auth_scope_denied');
  end if;
  return null;
end
$$;
--> statement-breakpoint
do $$
declare
  written_table text;
begin
  foreach written_table in array array['networks', 'network_tags', 'tags', 'user_api_keys',
    'user_api_key_networks', 'user_api_key_secrets'
  ] loop
    execute format('create trigger refuse_limited_key before insert or update or delete on %I
      for each statement execute function app.refuse_limited_key()', written_table);
  end loop;
end
$$;
--> statement-breakpoint

-- Nobody makes, changes or deletes a key above their own: whoever rotates a key has its role.
create function app.require_role(needed public.role) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  own public.role := app.key_role();
begin
  if own is null or own < needed then
    perform app.abort('auth_permission_denied',
      jsonb_build_object('required_role', needed, 'role', own));
  end if;
end
$$;
--> statement-breakpoint
-- Stable, so that it sees the caller's own key as it was before the statement that it may delete.
create function app.refuse_higher_key() returns trigger
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if row_security_active(tg_relid) then
    perform app.require_role(greatest(old.role, new.role));
  end if;
  return null;
end
$$;
--> statement-breakpoint
create trigger refuse_higher_key after insert or update or delete on user_api_keys
  for each row execute function app.refuse_higher_key();
--> statement-breakpoint
create function app.refuse_part_of_higher_key() returns trigger
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if row_security_active(tg_relid) then
    perform app.require_role(key.role) from public.user_api_keys as key
    where key.organization_id = coalesce(new.organization_id, old.organization_id)
      and key.id = coalesce(new.api_key_id, old.api_key_id);
  end if;
  return null;
end
$$;
--> statement-breakpoint
create trigger refuse_part_of_higher_key after insert on user_api_key_secrets
  for each row execute function app.refuse_part_of_higher_key();
--> statement-breakpoint
create trigger refuse_part_of_higher_key after insert or delete on user_api_key_networks
  for each row execute function app.refuse_part_of_higher_key();
--> statement-breakpoint

-- An organization keeps a key by which all others can be made. Two transactions that each take one
-- of the last two away follow each other, so that the second sees what the first left.
-- A security definer, because the caller's own key may just have ceased to be good: row level security
-- would end the transaction for that. Hence the condition of the triggers.
create function app.keep_owner_key() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  changed record;
begin
  select former.organization_id, former.id into changed from former
  where former.role = 'Owner' and former.is_enabled and not former.is_limited_to_networks
    and (former.expires_at is null or former.expires_at > now())
  order by former.id limit 1;
  if not found then
    return null;
  end if;
  perform from public.organizations as organization
  where organization.id = changed.organization_id for no key update;
  if not exists (
    select from public.user_api_keys as key
    where key.organization_id = changed.organization_id and key.role = 'Owner' and key.is_enabled
      and not key.is_limited_to_networks and (key.expires_at is null or key.expires_at > now()))
  then
    perform app.abort('entity_in_use', jsonb_build_object(
      'entity', 'ApiKey', 'id', changed.id, 'used_by', jsonb_build_object('organizations', 1)));
  end if;
  return null;
end
$$;
--> statement-breakpoint
create trigger keep_owner_key_updated after update on user_api_keys
  referencing old table as former for each statement
  when (current_user = 'inventory_api') execute function app.keep_owner_key();
--> statement-breakpoint
create trigger keep_owner_key_deleted after delete on user_api_keys
  referencing old table as former for each statement
  when (current_user = 'inventory_api') execute function app.keep_owner_key();
--> statement-breakpoint

-- Gives a key a new plaintext; the ones before end now or after so many seconds, and never last
-- longer than they did. Nine of those stay, the last to end, so a key has ten at most. A caller that
-- rotates its own key is from here on the bearer of the new plaintext.
create function app.rotate_key(
  rotated_id uuid, new_hash bytea, new_hint text, overlap_seconds integer)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  presented public.user_api_keys := app.presented_key();
  rotated public.user_api_keys;
begin
  if presented.is_limited_to_networks then
    perform app.abort('auth_scope_denied');
  end if;
  -- A plaintext that was replaced works a while longer, but may not take the key over again.
  if exists (
    select from public.user_api_key_secrets as secret
    where secret.key_hash = decode(current_setting('app.key_hash', true), 'hex')
      and secret.expires_at is not null)
  then
    perform app.abort('auth_key_expired', jsonb_build_object('expired_at',
      to_char(presented.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
  end if;
  select * into rotated from public.user_api_keys as key
  where key.organization_id = presented.organization_id and key.id = rotated_id for no key update;
  if not found then
    perform app.abort('entity_not_found', jsonb_build_object('entity', 'ApiKey', 'id', rotated_id));
  end if;
  perform app.require_role(rotated.role);
  update public.user_api_key_secrets as secret
  set expires_at = least(secret.expires_at, now() + make_interval(secs => overlap_seconds))
  where secret.organization_id = rotated.organization_id and secret.api_key_id = rotated_id;
  delete from public.user_api_key_secrets as secret
  where secret.organization_id = rotated.organization_id and secret.api_key_id = rotated_id
    and (overlap_seconds <= 0 or secret.expires_at <= now() or secret.key_hash not in (
      select lasting.key_hash from public.user_api_key_secrets as lasting
      where lasting.organization_id = rotated.organization_id and lasting.api_key_id = rotated_id
      order by lasting.expires_at desc limit 9));
  insert into public.user_api_key_secrets (organization_id, api_key_id, key_hash)
  values (rotated.organization_id, rotated_id, new_hash);
  update public.user_api_keys as key set key_hint = new_hint
  where key.organization_id = rotated.organization_id and key.id = rotated_id;
  if presented.id = rotated_id then
    perform set_config('app.key_hash', encode(new_hash, 'hex'), true);
  end if;
end
$$;
--> statement-breakpoint

-- Stores the token of a daemon that the caller reaches, in place of the one before.
create function app.store_daemon_token(stored_id uuid, sealed_token text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  reaches_all boolean := app.reaches_all_networks();
  reached uuid[] := case when reaches_all then '{}' else app.network_ids() end;
begin
  insert into public.daemon_secrets (organization_id, daemon_id, field, sealed)
  select daemon.organization_id, daemon.id, 'token', sealed_token from public.daemons as daemon
  where daemon.organization_id = organization and daemon.id = stored_id
    and (reaches_all or daemon.network_id = any (reached))
  on conflict on constraint daemon_secrets_pk do update set sealed = excluded.sealed;
  if not found then
    perform app.abort('entity_not_found', jsonb_build_object('entity', 'Daemon', 'id', stored_id));
  end if;
end
$$;
--> statement-breakpoint

-- Claims an Idempotency-Key for what this transaction creates (API contract, section 7). Of two
-- transactions with one key, the second waits here for the first on the primary key. Ends the
-- transaction where the key was claimed before: with INV02 and what was created then, if the request
-- is the same. `digests` are HMACs of the request by every sealing key: the first is stored.
create function app.claim_idempotency(
  claimed_key text, claimed_operation text, digests bytea[], created_ids uuid[])
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  presented public.user_api_keys := app.presented_key();
  stored public.idempotency_keys;
begin
  delete from public.idempotency_keys as old
  where old.organization_id = presented.organization_id and old.api_key_id = presented.id
    and old.key = claimed_key and old.created_at <= now() - interval '24 hours';
  -- What is in the way may be swept before it is read: then there is nothing in the way any more.
  loop
    insert into public.idempotency_keys
      (organization_id, api_key_id, key, operation, request_digest, record_ids)
    values (presented.organization_id, presented.id, claimed_key, claimed_operation, digests[1],
      created_ids)
    on conflict on constraint idempotency_keys_pk do nothing;
    if found then
      return;
    end if;
    select * into stored from public.idempotency_keys as earlier
    where earlier.organization_id = presented.organization_id
      and earlier.api_key_id = presented.id and earlier.key = claimed_key;
    exit when found;
  end loop;
  if stored.operation <> claimed_operation or stored.request_digest <> all (digests) then
    perform app.abort('idempotency_key_reused');
  end if;
  raise exception using
    errcode = 'INV02',
    message = 'the request was served before',
    detail = jsonb_build_object(
      'record_ids', stored.record_ids,
      'key_id', presented.id,
      'organization_id', presented.organization_id)::text;
end
$$;
--> statement-breakpoint
-- Deletes so many claims at most that are older than 24 hours. Returns how many.
create function app.sweep_idempotency_keys(maximum integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  swept integer;
begin
  delete from public.idempotency_keys as old where old.ctid = any (array(
    select due.ctid from public.idempotency_keys as due
    where due.created_at <= now() - interval '24 hours'
    order by due.created_at limit maximum for update skip locked));
  get diagnostics swept = row_count;
  return swept;
end
$$;
--> statement-breakpoint
grant execute on function app.key_id(), app.key_role(), app.require_role(public.role),
  app.rotate_key(uuid, bytea, text, integer), app.store_daemon_token(uuid, text),
  app.claim_idempotency(text, text, bytea[], uuid[]) to inventory_api;
--> statement-breakpoint
grant usage on schema app to inventory_poller;
--> statement-breakpoint
grant execute on function app.sweep_idempotency_keys(integer) to inventory_poller;
