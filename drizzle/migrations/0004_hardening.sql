-- Functions that are made from here on, by later migrations too, are for nobody but their owner until
-- they are granted.
alter default privileges revoke execute on functions from public;
--> statement-breakpoint

-- A type in pg_temp hides one of the same name that a function's body means, unless pg_temp is
-- searched last. Whoever may make none there has nothing to hide it with either.
do $$
begin
  execute format('revoke temporary on database %I from public', current_database());
end
$$;
--> statement-breakpoint

-- Migration `tenancy` took roles that were there already as they were.
do $$
declare
  found record;
begin
  for found in
    select rolname, attribute
    from pg_catalog.pg_roles, lateral (values
      ('login', rolcanlogin), ('superuser', rolsuper), ('bypassrls', rolbypassrls),
      ('createrole', rolcreaterole), ('createdb', rolcreatedb), ('replication', rolreplication)
    ) as has (attribute, is_set)
    where rolname in ('inventory_api', 'inventory_poller') and is_set
  loop
    raise exception 'the role % may do more than the service needs (%): take it away with "alter role % no%", then migrate again',
      found.rolname, found.attribute, found.rolname, found.attribute;
  end loop;
  for found in
    select pg_get_userbyid(member) as rolname, pg_get_userbyid(roleid) as granted
    from pg_catalog.pg_auth_members
    where pg_get_userbyid(member) in ('inventory_api', 'inventory_poller')
  loop
    raise exception 'the role % is a member of %: take it away with "revoke % from %", then migrate again',
      found.rolname, found.granted, found.granted, found.rolname;
  end loop;
end
$$;
--> statement-breakpoint

-- Ends the transaction with an error of the API. The Worker turns it into the response; the ids are
-- for its log line, as an aborted batch returns no rows.
create or replace function app.abort(code text, params jsonb default '{}') returns void
language plpgsql security definer as $$
declare
  presented public.user_api_keys;
begin
  select * into presented from public.user_api_keys as key
  where key.key_hash = decode(nullif(current_setting('app.key_hash', true), ''), 'hex');
  raise exception using
    errcode = 'INV01',
    message = code,
    detail = jsonb_build_object(
      'code', code,
      'params', params,
      'key_id', presented.id,
      'organization_id', presented.organization_id)::text;
end
$$;
--> statement-breakpoint

-- The key that was presented in this transaction; a row of nulls where none was. Anybody may set the
-- setting, but only who has a key knows a hash, and the table alone says what the key may see. Ends
-- the transaction unless the key is good, also when it has ceased to be so behind the gate.
create function app.presented_key() returns public.user_api_keys
language plpgsql stable parallel safe security definer as $$
declare
  -- A setting that a transaction made reads as '' in the next one on the connection, not as null.
  hash text := nullif(current_setting('app.key_hash', true), '');
  presented public.user_api_keys;
begin
  if hash is null then
    return null;
  end if;
  select * into presented from public.user_api_keys as key where key.key_hash = decode(hash, 'hex');
  if not found then
    perform app.abort('auth_not_authenticated');
  end if;
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

-- What policies ask: once a statement, in the form `(select …)`. The first two are in every policy
-- and so look the key up themselves; without a good key `presented_key` ends the transaction or
-- tells that none was presented, and then nothing is seen.
create or replace function app.organization_id() returns uuid
language plpgsql stable parallel safe security definer as $$
declare
  organization uuid;
begin
  select key.organization_id into organization from public.user_api_keys as key
  where key.key_hash = decode(nullif(current_setting('app.key_hash', true), ''), 'hex')
    and key.is_enabled and (key.expires_at is null or key.expires_at > now());
  return coalesce(organization, (app.presented_key()).organization_id);
end
$$;
--> statement-breakpoint
create or replace function app.reaches_all_networks() returns boolean
language plpgsql stable parallel safe security definer as $$
declare
  is_limited boolean;
begin
  select key.is_limited_to_networks into is_limited from public.user_api_keys as key
  where key.key_hash = decode(nullif(current_setting('app.key_hash', true), ''), 'hex')
    and key.is_enabled and (key.expires_at is null or key.expires_at > now());
  return not coalesce(is_limited, (app.presented_key()).is_limited_to_networks, true);
end
$$;
--> statement-breakpoint
create or replace function app.network_ids() returns uuid[]
language plpgsql stable parallel safe security definer as $$
declare
  key_id uuid := (app.presented_key()).id;
begin
  return array(
    select reached.network_id from public.user_api_key_networks as reached
    where reached.api_key_id = key_id order by reached.network_id);
end
$$;
--> statement-breakpoint

-- The gate: the first statement of every batch. It ends the transaction unless the key is good for
-- the operation. The caller switches the role in the same statement, which a security definer
-- function may not do itself. `reach` is a digest of the networks that the key reaches, by which a
-- caller of several batches sees that they changed in between.
create function app.enter(
  presented_hash bytea, required_role public.role, deadline_ms integer,
  needs_all_networks boolean default false)
returns table (key_id uuid, organization_id uuid, reach text)
language plpgsql security definer as $$
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
    where key.id = (
      select locked.id from public.user_api_keys as locked
      where locked.id = presented.id for no key update skip locked);
  end if;

  perform set_config('TimeZone', 'UTC', true);
  perform set_config('statement_timeout', deadline_ms::text, true);
  return query select presented.id, presented.organization_id,
    case when presented.is_limited_to_networks
      then encode(sha256(convert_to(app.network_ids()::text, 'UTF8')), 'hex') else 'all' end;
end
$$;
--> statement-breakpoint
-- Who may pass the old gate may pass the new one: a login of its own is not locked out.
do $$
declare
  login name;
begin
  for login in
    select pg_get_userbyid(granted.grantee)
    from pg_catalog.pg_proc as gate, aclexplode(gate.proacl) as granted
    where gate.oid = 'app.enter(bytea, public.role, integer)'::regprocedure
      and granted.grantee not in (0, gate.proowner)
  loop
    execute format(
      'grant execute on function app.enter(bytea, public.role, integer, boolean) to %I', login);
  end loop;
end
$$;
--> statement-breakpoint
drop function app.enter(bytea, public.role, integer);
--> statement-breakpoint

-- Of a credential, a key limited to networks sees the assignments that it reaches. What it writes is
-- for the triggers below, which raise the right error where a policy would raise its own.
alter policy tenant on credential_networks
  using (
    organization_id = (select app.organization_id())
    and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])))
  with check (organization_id = (select app.organization_id()));
--> statement-breakpoint
do $$
declare
  assignment_table text;
begin
  foreach assignment_table in array array['credential_hosts', 'credential_host_ip_addresses'] loop
    -- Row level security hides the hosts themselves.
    execute format('alter policy tenant on %1$I
      using (
        organization_id = (select app.organization_id())
        and ((select app.reaches_all_networks()) or exists (
          select from hosts where hosts.organization_id = %1$I.organization_id
            and hosts.id = %1$I.host_id)))
      with check (organization_id = (select app.organization_id()))', assignment_table);
  end loop;
end
$$;
--> statement-breakpoint

-- Whether all assignments of a credential lie within the networks of the key, those that row level
-- security hides from it included. A credential without any lies within those of every key.
create function app.reaches_credential(credential uuid) returns boolean
language plpgsql stable security definer as $$
declare
  organization uuid := app.organization_id();
  reached uuid[];
begin
  if app.reaches_all_networks() then
    return true;
  end if;
  reached := app.network_ids();
  return not exists (
    select from public.credential_networks as assigned
    where assigned.organization_id = organization and assigned.credential_id = credential
      and assigned.network_id <> all (reached)
  ) and not exists (
    select from public.credential_hosts as assigned
    join public.hosts as host
      on host.organization_id = assigned.organization_id and host.id = assigned.host_id
    where assigned.organization_id = organization and assigned.credential_id = credential
      and host.network_id <> all (reached));
end
$$;
--> statement-breakpoint
create policy reach on credentials as restrictive for update to inventory_api
  using ((select app.reaches_all_networks()) or app.reaches_credential(id));
--> statement-breakpoint
create policy reach on organizations as restrictive for update to inventory_api
  using ((select app.reaches_all_networks()));
--> statement-breakpoint

-- A statement of a key limited to networks that leaves a credential beyond its reach is undone. As
-- policies hide such assignments from its deletions, none can bring the credential within reach. Once
-- a statement and not, as a policy, once a row: 1,000 rows would each look at 1,000.
-- Not a security definer: cascades and the functions of this schema write as the owner.
create function app.refuse_beyond_reach() returns trigger
language plpgsql as $$
begin
  if row_security_active('public.credentials') and not app.reaches_all_networks() and exists (
    select from (select distinct credential_id from changed) as written
    where not app.reaches_credential(written.credential_id))
  then
    perform app.abort('auth_scope_denied');
  end if;
  return null;
end
$$;
--> statement-breakpoint
do $$
declare
  child_table text;
begin
  foreach child_table in array array['credential_secrets', 'credential_tags',
    'credential_networks', 'credential_hosts', 'credential_host_ip_addresses'
  ] loop
    execute format('create trigger refuse_insertion_beyond_reach after insert on %I
      referencing new table as changed for each statement
      execute function app.refuse_beyond_reach()', child_table);
    execute format('create trigger refuse_deletion_beyond_reach after delete on %I
      referencing old table as changed for each statement
      execute function app.refuse_beyond_reach()', child_table);
  end loop;
end
$$;
--> statement-breakpoint

-- At most 1,000 addresses over all assignments of a credential.
create function app.refuse_too_many_addresses() returns trigger
language plpgsql security definer as $$
begin
  -- Two transactions that add addresses to one credential follow each other, so that each counts
  -- what the other added.
  perform from public.credentials as credential
  where credential.id in (select added.credential_id from changed as added)
  order by credential.id for no key update;
  if exists (
    select from public.credential_host_ip_addresses as address
    where (address.organization_id, address.credential_id) in (
      select added.organization_id, added.credential_id from changed as added)
    group by address.credential_id having count(*) > 1000)
  then
    raise exception 'a credential has at most 1000 addresses'
      using errcode = 'check_violation', constraint = 'credential_host_ip_addresses_maximum';
  end if;
  return null;
end
$$;
--> statement-breakpoint
create trigger refuse_too_many_addresses after insert on credential_host_ip_addresses
  referencing new table as changed for each statement
  execute function app.refuse_too_many_addresses();
--> statement-breakpoint

-- `updated_at` is the instant at which this writer holds the row, not its transaction's start: a
-- transaction that began earlier may get the row later. It grows with every change, whoever writes.
create function app.touch() returns trigger
language plpgsql as $$
begin
  new.updated_at := greatest(
    date_trunc('milliseconds', clock_timestamp()), old.updated_at + interval '1 millisecond');
  return new;
end
$$;
--> statement-breakpoint
do $$
declare
  record_table text;
begin
  foreach record_table in array array['organizations', 'networks', 'hosts', 'ip_addresses', 'ports',
    'services', 'tags', 'bindings', 'credentials'
  ] loop
    execute format('create trigger touch before update on %I
      for each row execute function app.touch()', record_table);
  end loop;
end
$$;
--> statement-breakpoint
-- The use of a key and the polls of a daemon are no changes of their records.
create trigger touch before update on user_api_keys for each row
  when (new.last_used_at is not distinct from old.last_used_at) execute function app.touch();
--> statement-breakpoint
create trigger touch before update on daemons for each row
  when (current_user <> 'inventory_poller') execute function app.touch();
--> statement-breakpoint

-- Not only security definers: a trigger also runs for one, and for the owner's cascades.
do $$
declare
  ours regprocedure;
begin
  for ours in select oid from pg_catalog.pg_proc where pronamespace = 'app'::regnamespace loop
    execute format('alter function %s set search_path = pg_catalog, pg_temp', ours);
  end loop;
end
$$;
--> statement-breakpoint
grant execute on function app.reaches_credential(uuid) to inventory_api;
