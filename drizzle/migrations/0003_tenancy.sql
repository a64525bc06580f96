-- The role that answers callers. It exists once per cluster, hence the check.
do $$
begin
  if not exists (select from pg_roles where rolname = 'inventory_api') then
    create role inventory_api nologin;
  end if;
end
$$;
--> statement-breakpoint
grant inventory_api to current_user;
--> statement-breakpoint

-- The role of the poller, which works for all tenants but sees daemons only.
do $$
begin
  if not exists (select from pg_roles where rolname = 'inventory_poller') then
    create role inventory_poller nologin;
  end if;
end
$$;
--> statement-breakpoint
grant inventory_poller to current_user;
--> statement-breakpoint

-- A setting that a transaction made reads as '' in the next one on the same connection, not as null.
create function app.organization_id() returns uuid
language sql stable parallel safe as $$
  select nullif(current_setting('app.organization_id', true), '')::uuid
$$;
--> statement-breakpoint
create function app.reaches_all_networks() returns boolean
language sql stable parallel safe as $$
  select nullif(current_setting('app.network_ids', true), '') is null
$$;
--> statement-breakpoint
create function app.network_ids() returns uuid[]
language sql stable parallel safe as $$
  select nullif(current_setting('app.network_ids', true), '')::uuid[]
$$;
--> statement-breakpoint

-- Ends the transaction with an error of the API. The Worker turns it into the answer; the ids are
-- for its log line, as an aborted batch returns no rows.
create function app.abort(code text, params jsonb default '{}') returns void
language plpgsql as $$
begin
  raise exception using
    errcode = 'INV01',
    message = code,
    detail = jsonb_build_object(
      'code', code,
      'params', params,
      'key_id', nullif(current_setting('app.key_id', true), ''),
      'organization_id', nullif(current_setting('app.organization_id', true), ''))::text;
end
$$;
--> statement-breakpoint

-- The gate: the first statement of every batch. It alone reads keys; it tells row level security who
-- asks, and ends the transaction unless the key is good for the role. The caller switches the role
-- in the same statement, which a security definer function may not do itself.
create function app.enter(presented_hash bytea, required_role public.role, deadline_ms integer)
returns table (key_id uuid, organization_id uuid)
language plpgsql security definer set search_path = '' as $$
declare
  presented public.user_api_keys;
begin
  select * into presented from public.user_api_keys as key where key.key_hash = presented_hash;
  if not found then
    perform app.abort('auth_not_authenticated');
  end if;

  perform set_config('app.key_id', presented.id::text, true);
  perform set_config('app.organization_id', presented.organization_id::text, true);
  perform set_config('app.network_ids', case when presented.is_limited_to_networks then (
    select coalesce(array_agg(reached.network_id), '{}')::text
    from public.user_api_key_networks as reached where reached.api_key_id = presented.id
  ) else '' end, true);

  if presented.expires_at <= now() then
    perform app.abort('auth_key_expired', jsonb_build_object('expired_at',
      to_char(presented.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
  end if;
  if not presented.is_enabled then
    perform app.abort('auth_key_disabled');
  end if;
  if presented.role < required_role then
    perform app.abort('auth_permission_denied',
      jsonb_build_object('required_role', required_role, 'role', presented.role));
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
  return query select presented.id, presented.organization_id;
end
$$;
--> statement-breakpoint

-- Row level security: an organization sees its own, a key limited to networks only what is in them.
do $$
declare
  tenant_table text;
begin
  foreach tenant_table in array array[
    'credentials', 'credential_secrets', 'credential_tags', 'credential_networks',
    'credential_hosts', 'credential_host_ip_addresses', 'tags'
  ] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('create policy tenant on %I to inventory_api using (
      organization_id = (select app.organization_id()))', tenant_table);
  end loop;
  foreach tenant_table in array array[
    'hosts', 'ip_addresses', 'ports', 'services', 'daemons', 'bindings'
  ] loop
    execute format('alter table %I enable row level security', tenant_table);
    execute format('create policy tenant on %I to inventory_api using (
      organization_id = (select app.organization_id())
      and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])))',
      tenant_table);
  end loop;
end
$$;
--> statement-breakpoint
alter table organizations enable row level security;
--> statement-breakpoint
create policy tenant on organizations to inventory_api using (id = (select app.organization_id()));
--> statement-breakpoint
alter table networks enable row level security;
--> statement-breakpoint
create policy tenant on networks to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or id = any ((select app.network_ids())::uuid[])));
--> statement-breakpoint
alter table user_api_keys enable row level security;
--> statement-breakpoint
alter table user_api_key_networks enable row level security;
--> statement-breakpoint

create policy poller on daemons to inventory_poller using (true);
--> statement-breakpoint
grant usage on schema public to inventory_poller;
--> statement-breakpoint
grant select on daemons to inventory_poller;
--> statement-breakpoint
grant update (version, last_seen_at, consecutive_failures, unreachable_since, last_error,
  last_error_http_status, last_error_at, next_poll_at, lease_expires_at, poll_generation)
  on daemons to inventory_poller;
--> statement-breakpoint

-- The least that the operations need. Ciphertext can be written but not read, keys neither.
grant usage on schema public, app to inventory_api;
--> statement-breakpoint
revoke execute on all functions in schema app from public;
--> statement-breakpoint
grant execute on function app.organization_id(), app.reaches_all_networks(), app.network_ids(),
  app.abort(text, jsonb), app.fix_instant(), app.is_set(text[]), app.is_plan(jsonb) to inventory_api;
--> statement-breakpoint
grant select on organizations, networks, hosts, ip_addresses, ports, services, tags, bindings,
  credentials, credential_tags, credential_networks, credential_hosts,
  credential_host_ip_addresses to inventory_api;
--> statement-breakpoint
grant update (name, updated_at) on organizations to inventory_api;
--> statement-breakpoint
grant select (id, created_at, updated_at, organization_id, network_id, name, url, version,
  last_seen_at, consecutive_failures, unreachable_since, is_unreachable, last_error,
  last_error_http_status, last_error_at, next_poll_at, poll_generation) on daemons to inventory_api;
--> statement-breakpoint
grant update (unreachable_since, consecutive_failures, next_poll_at, lease_expires_at,
  poll_generation, updated_at) on daemons to inventory_api;
--> statement-breakpoint
grant update (name, settings, updated_at) on credentials to inventory_api;
--> statement-breakpoint
grant insert, delete on credential_tags, credential_networks, credential_hosts,
  credential_host_ip_addresses, credential_secrets to inventory_api;
--> statement-breakpoint
grant select (organization_id, credential_id, field) on credential_secrets to inventory_api;
