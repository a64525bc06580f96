-- A new service keeps every field of its virtualization, also those that are null: the rule for what is
-- left out reaches into objects. The rest of app.ingest (migration `ingest`) stays as it is.
do $$
declare
  definition text := pg_get_functiondef('app.ingest(uuid, uuid, text, jsonb, boolean)'::regprocedure);
  mended text := replace(definition,
    $old$then jsonb_strip_nulls(jsonb_build_object('name', sent.name,
          'service_definition', sent.definition, 'virtualization', sent.virtualization))$old$,
    $new$then jsonb_build_object('name', sent.name, 'service_definition', sent.definition)
          || case when sent.virtualization is null then '{}'
            else jsonb_build_object('virtualization', sent.virtualization) end$new$);
begin
  if mended = definition then
    raise exception 'app.ingest is not the one of migration `ingest`';
  end if;
  execute mended;
end
$$;
--> statement-breakpoint

-- What a scan saw and could not store, until it is settled: hosts by the ids that the daemon knows them
-- by, and their addresses. `is_unbounded`: it was too much to remember.
create table app.scan_gaps (
  organization_id uuid not null,
  session_id uuid not null,
  host_ids uuid[] not null default '{}' check (cardinality(host_ids) <= 10000),
  addresses inet[] not null default '{}' check (cardinality(addresses) <= 10000),
  is_unbounded boolean not null default false,
  primary key (organization_id, session_id),
  foreign key (organization_id, session_id)
    references public.discovery_sessions (organization_id, id) on delete cascade
);
--> statement-breakpoint
grant select, delete on app.scan_gaps to inventory_ingest;
--> statement-breakpoint

-- Remembers what the daemon that is visited has reported and what cannot be stored, for each of its scans
-- that is still to be settled. Loopback addresses tell no host from others.
create function app.note_scan_gaps(seen_hosts uuid[], seen_addresses inet[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  maximum constant integer := 10000;
  scan record;
  hosts uuid[];
  addresses inet[];
  is_unbounded boolean;
begin
  -- Of scans that failed or were cancelled nothing is settled.
  delete from app.scan_gaps as gaps
  using app.daemon_visits as visit, public.discovery_sessions as session
  where visit.transaction_id = pg_current_xact_id_if_assigned()
    and session.organization_id = visit.organization_id and session.daemon_id = visit.daemon_id
    and session.phase in ('Failed', 'Cancelled')
    and gaps.organization_id = session.organization_id and gaps.session_id = session.id;
  for scan in
    select session.organization_id, session.id, gaps.host_ids, gaps.addresses, gaps.is_unbounded
    from app.daemon_visits as visit
    join public.discovery_sessions as session
      on session.organization_id = visit.organization_id and session.daemon_id = visit.daemon_id
    left join app.scan_gaps as gaps
      on gaps.organization_id = session.organization_id and gaps.session_id = session.id
    where visit.transaction_id = pg_current_xact_id_if_assigned()
      and session.started_at is not null
      and (session.finished_at is null or (session.phase = 'Complete' and session.settled_at is null))
  loop
    hosts := array(
      select unnest(scan.host_ids) union select unnest(seen_hosts));
    addresses := array(
      select unnest(scan.addresses) union
      select seen.address from unnest(seen_addresses) as seen (address)
      where not app.is_loopback(seen.address));
    is_unbounded := coalesce(scan.is_unbounded, false)
      or cardinality(hosts) > maximum or cardinality(addresses) > maximum;
    if is_unbounded then
      hosts := '{}';
      addresses := '{}';
    end if;
    -- A daemon may report the same with every poll.
    if scan.host_ids is null or cardinality(hosts) <> cardinality(scan.host_ids)
      or cardinality(addresses) <> cardinality(scan.addresses) or is_unbounded <> scan.is_unbounded
    then
      insert into app.scan_gaps values (scan.organization_id, scan.id, hosts, addresses, is_unbounded)
      on conflict (organization_id, session_id) do update set host_ids = excluded.host_ids,
        addresses = excluded.addresses, is_unbounded = excluded.is_unbounded;
    end if;
  end loop;
end
$$;
--> statement-breakpoint
grant execute on function app.note_scan_gaps(uuid[], inet[]) to inventory_poller;
--> statement-breakpoint

-- Whose scans the swept ones were, which bindings that they saw last still name: one small row a scan,
-- as long as there is the daemon.
create table app.swept_scans (
  organization_id uuid not null,
  daemon_id uuid not null,
  id uuid not null,
  primary key (organization_id, daemon_id, id),
  foreign key (organization_id, daemon_id) references public.daemons (organization_id, id)
    on delete cascade
);
--> statement-breakpoint
grant select on app.swept_scans to inventory_ingest;
--> statement-breakpoint

-- As in migration `daemon_visits`; remembers whose scans these were. A daemon that is being deleted takes
-- its scans along, so they are left to that.
create or replace function app.sweep_discovery_sessions(maximum integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  swept integer;
begin
  with gone as (
    delete from public.discovery_sessions as old where old.ctid = any (array(
      select due.ctid from public.discovery_sessions as due
      join public.daemons as daemon
        on daemon.organization_id = due.organization_id and daemon.id = due.daemon_id
      where due.finished_at <= now() - interval '90 days'
      order by due.finished_at limit maximum
      for update of due skip locked for key share of daemon skip locked))
    returning old.organization_id, old.daemon_id, old.id, old.started_at),
  remembered as (
    insert into app.swept_scans (organization_id, daemon_id, id)
    select gone.organization_id, gone.daemon_id, gone.id from gone where gone.started_at is not null)
  select count(*) into swept from gone;
  return swept;
end
$$;
--> statement-breakpoint

-- As in migration `daemon_visits`. Hosts that the scan saw and could not store keep their bindings. What
-- the daemon saw last before its first scan, or in a scan that was swept, ends as well.
create or replace function app.settle_scan(scan uuid) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  settled record;
  found_hosts uuid[];
  ended integer := 0;
begin
  select session.daemon_id, session.network_id, session.subnet_ids,
    coalesce(gaps.host_ids, '{}') as gap_hosts, coalesce(gaps.addresses, '{}') as gap_addresses,
    coalesce(gaps.is_unbounded, false) as is_unbounded
  into settled
  from public.discovery_sessions as session
  left join app.scan_gaps as gaps
    on gaps.organization_id = session.organization_id and gaps.session_id = session.id
  where session.organization_id = organization and session.id = scan and session.phase = 'Complete';
  if not found then
    return 0;
  end if;
  if not settled.is_unbounded then
    perform app.lock_hosts(array(
      select host.id from public.hosts as host
      where host.organization_id = organization and host.network_id = settled.network_id
        and host.valid_to is null and host.last_discovery_id = scan));
    found_hosts := array(
      select host.id from public.hosts as host
      where host.organization_id = organization and host.network_id = settled.network_id
        and host.valid_to is null and host.last_discovery_id = scan
        and host.id <> all (settled.gap_hosts)
      except
      select address.live_host_id from public.ip_addresses as address
      where address.organization_id = organization and address.network_id = settled.network_id
        and address.valid_to is null and address.address = any (settled.gap_addresses));
    delete from public.bindings as binding
    where binding.organization_id = organization and binding.live_host_id = any (found_hosts)
      and binding.valid_to is null and binding.first_discovery_id is not null
      and binding.last_discovery_id <> scan
      and (binding.last_discovery_id = settled.daemon_id
        or exists (
          select from public.discovery_sessions as earlier
          where earlier.organization_id = organization and earlier.id = binding.last_discovery_id
            and earlier.daemon_id = settled.daemon_id)
        or exists (
          select from app.swept_scans as earlier
          where earlier.organization_id = organization and earlier.daemon_id = settled.daemon_id
            and earlier.id = binding.last_discovery_id))
      -- A scan of some subnets has not looked at addresses outside them.
      and (settled.subnet_ids is null or not exists (
        select from public.ip_addresses as address
        where address.organization_id = organization and address.live_host_id = binding.host_id
          and (binding.ip_address_id is null or address.id = binding.ip_address_id)
          and not exists (
            select from public.subnets as scanned
            where scanned.organization_id = organization and scanned.id = any (settled.subnet_ids)
              and scanned.valid_to is null and scanned.cidr >>= address.address)));
    get diagnostics ended = row_count;
  end if;
  delete from app.scan_gaps as gaps where gaps.organization_id = organization and gaps.session_id = scan;
  return ended;
end
$$;
