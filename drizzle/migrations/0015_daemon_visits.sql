-- In whose name the poller works on what a daemon reports: row level security holds for it as for
-- callers. It is no login, and nobody becomes it; the functions below run as it.
do $$
begin
  if not exists (select from pg_roles where rolname = 'inventory_ingest') then
    create role inventory_ingest nologin;
  end if;
end
$$;
--> statement-breakpoint
grant inventory_ingest to current_user;
--> statement-breakpoint
grant inventory_api to inventory_ingest;
--> statement-breakpoint

-- The visit of a daemon that this transaction is part of: what app.enter is for a key. Only the
-- transaction that made a row finds it, and only app.enter_visit makes one.
create table app.daemon_visits (
  transaction_id xid8 primary key default pg_current_xact_id(),
  organization_id uuid not null,
  network_id uuid not null,
  daemon_id uuid not null
);
--> statement-breakpoint

-- As in migration `keys`; without a key, of the daemon that is visited.
create or replace function app.organization_id() returns uuid
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid;
begin
  if nullif(current_setting('app.key_hash', true), '') is null then
    select visit.organization_id into organization from app.daemon_visits as visit
    where visit.transaction_id = pg_current_xact_id_if_assigned();
    return organization;
  end if;
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
create or replace function app.network_ids() returns uuid[]
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp as $$
declare
  presented public.user_api_keys := app.presented_key();
begin
  if presented.id is null then
    return array(
      select visit.network_id from app.daemon_visits as visit
      where visit.transaction_id = pg_current_xact_id_if_assigned());
  end if;
  return array(
    select reached.network_id from public.user_api_key_networks as reached
    where reached.organization_id = presented.organization_id and reached.api_key_id = presented.id
    order by reached.network_id);
end
$$;
--> statement-breakpoint

-- The gate for what a daemon reports: the first statement of a batch of the poller. Ends the
-- transaction unless the lease holds. From here on, functions that run as inventory_ingest see and
-- write the daemon's own network and nothing else, until app.leave_visit.
create function app.enter_visit(organization uuid, daemon uuid, generation bigint) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  visited uuid;
begin
  -- A key that was presented before, on the same connection, is none of this transaction's.
  perform set_config('app.key_hash', '', true);
  select known.network_id into visited from public.daemons as known
  where known.organization_id = organization and known.id = daemon
    and known.poll_generation = generation and known.lease_expires_at > now()
  for no key update;
  if not found then
    perform app.abort('entity_not_found', jsonb_build_object('entity', 'Daemon', 'id', daemon));
  end if;
  insert into app.daemon_visits (organization_id, network_id, daemon_id)
  values (organization, visited, daemon);
end
$$;
--> statement-breakpoint
create function app.leave_visit() returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  delete from app.daemon_visits where transaction_id = pg_current_xact_id_if_assigned()
$$;
--> statement-breakpoint

-- The discovery of what the daemon that is visited reports: its latest scan, which may have ended
-- while entities of it still waited; before its first one, the daemon itself.
create function app.visit_discovery() returns uuid
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select coalesce((
    select session.id from public.discovery_sessions as session
    where session.organization_id = visit.organization_id and session.daemon_id = visit.daemon_id
      and session.started_at is not null
    order by session.started_at desc limit 1), visit.daemon_id)
  from app.daemon_visits as visit
  where visit.transaction_id = pg_current_xact_id_if_assigned()
$$;
--> statement-breakpoint
grant execute on function app.visit_discovery() to inventory_ingest;
--> statement-breakpoint

-- app.ingest (migration `ingest`), for the daemon that is visited.
create function app.ingest_visit(network uuid, report jsonb) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  return app.ingest(network, app.visit_discovery(), 'Discovery', report, false);
end
$$;
--> statement-breakpoint

-- Absence: ends the bindings that earlier scans of this daemon made on hosts that this scan found, and
-- that it did not see again. A daemon does not say which ports it looks at, but it looks at the same
-- ones of an address in every scan. What others have found, or people have written, it may not have looked at.
create function app.settle_scan(scan uuid) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  settled record;
  ended integer;
begin
  select session.daemon_id, session.network_id, session.subnet_ids into settled
  from public.discovery_sessions as session
  where session.organization_id = organization and session.id = scan and session.phase = 'Complete';
  if not found then
    return 0;
  end if;
  perform app.lock_hosts(array(
    select host.id from public.hosts as host
    where host.organization_id = organization and host.network_id = settled.network_id
      and host.valid_to is null and host.last_discovery_id = scan));
  delete from public.bindings as binding
  using public.hosts as host, public.discovery_sessions as earlier
  where host.organization_id = organization and host.network_id = settled.network_id
    and host.valid_to is null and host.last_discovery_id = scan
    and binding.organization_id = organization and binding.host_id = host.id
    and binding.valid_to is null and binding.first_discovery_id is not null
    and earlier.organization_id = organization and earlier.id = binding.last_discovery_id
    and earlier.daemon_id = settled.daemon_id and earlier.id <> scan
    -- A scan of some subnets has not looked at addresses outside them.
    and (settled.subnet_ids is null or not exists (
      select from public.ip_addresses as address
      where address.organization_id = organization and address.live_host_id = host.id
        and (binding.ip_address_id is null or address.id = binding.ip_address_id)
        and not exists (
          select from public.subnets as scanned
          where scanned.organization_id = organization and scanned.id = any (settled.subnet_ids)
            and scanned.valid_to is null and scanned.cidr >>= address.address)));
  get diagnostics ended = row_count;
  return ended;
end
$$;
--> statement-breakpoint
do $$
begin
  grant create on schema app to inventory_ingest;
  alter function app.ingest_visit(uuid, jsonb) owner to inventory_ingest;
  alter function app.settle_scan(uuid) owner to inventory_ingest;
  revoke create on schema app from inventory_ingest;
end
$$;
--> statement-breakpoint

-- The credentials of a scan that is to begin, sealed as they are stored: those of the network, and
-- those of its hosts with their addresses. One more than the bound says that there are too many.
create function app.scan_credentials(
  organization uuid, daemon uuid, generation bigint, scan uuid, maximum integer)
returns table (
  id uuid, settings jsonb, secrets jsonb, is_default boolean, addresses text[])
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  scanned uuid;
begin
  select known.network_id into scanned
  from public.daemons as known
  join public.discovery_sessions as session
    on session.organization_id = known.organization_id and session.daemon_id = known.id
  where known.organization_id = organization and known.id = daemon
    and known.poll_generation = generation and known.lease_expires_at > now()
    and session.id = scan and session.phase = 'Pending';
  if not found then
    return;
  end if;
  return query
  with assigned as (
    select credential.id, credential.created_at, credential.settings,
      exists (
        select from public.credential_networks as broadcast
        where broadcast.organization_id = organization and broadcast.credential_id = credential.id
          and broadcast.network_id = scanned) as is_default,
      array(
        select distinct host(address.address) from public.credential_hosts as assignment
        join public.ip_addresses as address
          on address.organization_id = assignment.organization_id
          and address.host_id = assignment.host_id and address.valid_to is null
        where assignment.organization_id = organization
          and assignment.credential_id = credential.id and address.network_id = scanned
          and (not assignment.is_limited_to_addresses or exists (
            select from public.credential_host_ip_addresses as chosen
            where chosen.organization_id = organization
              and chosen.credential_id = credential.id and chosen.host_id = assignment.host_id
              and chosen.ip_address_id = address.id))
        order by 1) as addresses
    from public.credentials as credential where credential.organization_id = organization)
  select assigned.id, assigned.settings,
    (select coalesce(jsonb_object_agg(secret.field, secret.sealed), '{}')
      from public.credential_secrets as secret
      where secret.organization_id = organization and secret.credential_id = assigned.id),
    assigned.is_default, assigned.addresses
  from assigned where assigned.is_default or cardinality(assigned.addresses) > 0
  order by assigned.created_at, assigned.id limit maximum;
end
$$;
--> statement-breakpoint
grant execute on function app.enter_visit(uuid, uuid, bigint), app.leave_visit(),
  app.ingest_visit(uuid, jsonb), app.settle_scan(uuid),
  app.scan_credentials(uuid, uuid, bigint, uuid, integer) to inventory_poller;
--> statement-breakpoint

-- Deletes so many scans at most that ended more than 90 days ago. Returns how many.
create function app.sweep_discovery_sessions(maximum integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  swept integer;
begin
  delete from public.discovery_sessions as old where old.ctid = any (array(
    select due.ctid from public.discovery_sessions as due
    where due.finished_at <= now() - interval '90 days'
    order by due.finished_at limit maximum for update skip locked));
  get diagnostics swept = row_count;
  return swept;
end
$$;
--> statement-breakpoint
-- Fails so many scans at most that have stood still for five minutes, and ends those that were to be
-- cancelled: their daemons were not reached. Returns how many.
create function app.end_stalled_sessions(maximum integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  ended integer;
begin
  update public.discovery_sessions as stalled set finished_at = now(),
    phase = case when stalled.cancel_requested_at is null then 'Failed' else 'Cancelled' end,
    error = case when stalled.cancel_requested_at is null then 'stalled' end
  where stalled.ctid = any (array(
    select due.ctid from public.discovery_sessions as due
    where due.phase in ('Pending', 'Starting', 'Started', 'Scanning')
      and due.moved_at <= now() - interval '5 minutes'
    order by due.moved_at limit maximum for update skip locked));
  get diagnostics ended = row_count;
  return ended;
end
$$;
--> statement-breakpoint
grant execute on function app.sweep_discovery_sessions(integer), app.end_stalled_sessions(integer)
  to inventory_poller;
--> statement-breakpoint

-- As in migration `revisions`; a poll also finds out on which host the daemon lives.
drop trigger revise on daemons;
--> statement-breakpoint
create trigger revise before update on daemons for each row
  when (current_user = 'inventory_poller' and (
    new.version, new.last_seen_at, new.consecutive_failures, new.unreachable_since, new.last_error,
    new.last_error_http_status, new.last_error_at, new.next_poll_at, new.host_id
  ) is distinct from (
    old.version, old.last_seen_at, old.consecutive_failures, old.unreachable_since, old.last_error,
    old.last_error_http_status, old.last_error_at, old.next_poll_at, old.host_id))
  execute function app.revise();
