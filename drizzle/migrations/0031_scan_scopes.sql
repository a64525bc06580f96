-- What a scan looked at: light or full, and with which credentials on which hosts. So that it ends only
-- what it looked for. One row for all scans of a daemon that looked alike. `credentials`: for each that was
-- handed over, by its id and a digest of what it holds, as a changed one is another one, `{"network": true}`
-- where it was for every host of the network, else `{"hosts": [ids], "addresses": [...]}`. A name that no other
-- scope has stands for credentials of which nobody knows: what was seen with them, no other scan ends.
create table app.scan_scopes (
  organization_id uuid not null,
  daemon_id uuid not null,
  id uuid not null default gen_random_uuid(),
  is_full boolean not null,
  credentials jsonb not null,
  digest bytea not null,
  used_at timestamptz not null default now(),
  primary key (organization_id, id),
  unique (organization_id, daemon_id, digest),
  foreign key (organization_id, daemon_id)
    references public.daemons (organization_id, id) on delete cascade
);
--> statement-breakpoint
-- The scans that were handed to a daemon. They outlive the sweep of sessions, as what they saw does.
create table app.handed_scans (
  organization_id uuid not null,
  session_id uuid not null,
  daemon_id uuid not null,
  started_at timestamptz not null,
  scope_id uuid not null,
  primary key (organization_id, session_id),
  foreign key (organization_id, daemon_id)
    references public.daemons (organization_id, id) on delete cascade,
  foreign key (organization_id, scope_id)
    references app.scan_scopes (organization_id, id) on delete cascade
);
--> statement-breakpoint
create index handed_scans_daemon_index on app.handed_scans (organization_id, daemon_id, started_at);
--> statement-breakpoint
create index handed_scans_scope_index on app.handed_scans (organization_id, scope_id);
--> statement-breakpoint
-- The hosts that a scan has found, until it is settled: another daemon may see them meanwhile.
create table app.scan_hosts (
  organization_id uuid not null,
  session_id uuid not null,
  host_id uuid not null,
  primary key (organization_id, session_id, host_id),
  foreign key (organization_id, session_id)
    references public.discovery_sessions (organization_id, id) on delete cascade
);
--> statement-breakpoint
grant select on app.scan_scopes, app.handed_scans to inventory_ingest;
--> statement-breakpoint
grant select, insert, delete on app.scan_hosts to inventory_ingest;
--> statement-breakpoint

-- Scans until now were light, and nobody knows with which credentials. The latest of a daemon may still report.
with latest as materialized (
  select distinct on (session.organization_id, session.daemon_id)
    session.organization_id, session.daemon_id, session.id, session.started_at,
    gen_random_uuid() as scope_id,
    jsonb_build_object('before ' || session.id, jsonb_build_object('network', true)) as credentials
  from public.discovery_sessions as session where session.started_at is not null
  order by session.organization_id, session.daemon_id, session.started_at desc),
scope as (
  insert into app.scan_scopes (organization_id, daemon_id, id, is_full, credentials, digest)
  select organization_id, daemon_id, scope_id, false, credentials,
    sha256(convert_to(credentials::text, 'UTF8'))
  from latest)
insert into app.handed_scans (organization_id, session_id, daemon_id, started_at, scope_id)
select organization_id, id, daemon_id, started_at, scope_id from latest;
--> statement-breakpoint
-- The discovery of what the daemon that is visited reports: the latest scan that was handed to it, which
-- may have ended while entities of it still waited; before its first one, the daemon itself.
create or replace function app.visit_discovery() returns uuid
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select coalesce((
    select handed.session_id from app.handed_scans as handed
    where handed.organization_id = visit.organization_id and handed.daemon_id = visit.daemon_id
    order by handed.started_at desc limit 1), visit.daemon_id)
  from app.daemon_visits as visit
  where visit.transaction_id = pg_current_xact_id_if_assigned()
$$;
--> statement-breakpoint
drop table app.swept_scans;
--> statement-breakpoint

-- The credentials of a scan that is to begin, sealed as they are stored: those of the network, and
-- those of its hosts with their addresses. One more than the bound says that there are too many.
-- Also decides whether the scan is full, and remembers what is handed over. The daemon may have taken any of
-- several attempts: where they differ, nobody knows with which credentials it looked.
-- `withheld`: types that the daemon does not know. One that receives no credentials is handed none.
drop function app.scan_credentials(uuid, uuid, bigint, uuid, integer);
--> statement-breakpoint
create function app.scan_credentials(
  organization uuid, daemon uuid, generation bigint, scan uuid, maximum integer,
  withheld text[] default '{}')
returns table (
  id uuid, settings jsonb, secrets jsonb, is_default boolean, addresses text[])
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  -- Beyond these the scan fails, and beyond those it is forgotten what the scan looked at.
  maximum_addresses constant integer := 20000;
  maximum_scopes constant integer := 100;
  maximum_scans constant integer := 10000;
  scanned record;
begin
  select known.network_id, known.receives_credentials, session.started_at into scanned
  from public.daemons as known
  join public.discovery_sessions as session
    on session.organization_id = known.organization_id and session.daemon_id = known.id
  where known.organization_id = organization and known.id = daemon
    and known.poll_generation = generation and known.lease_expires_at > now()
    and session.id = scan and session.phase = 'Pending'
  for no key update of known;
  if not found then
    return;
  end if;

  -- Unless somebody has said so, the first scan of all subnets is full, and then every third. One that failed
  -- is not repeated at once: where full scans always fail, there are light ones in between.
  update public.discovery_sessions as session
  set is_full_scan = not exists (
    select from (
      select earlier.is_full_scan, earlier.phase,
        row_number() over (order by earlier.created_at desc, earlier.id desc) as place
      from public.discovery_sessions as earlier
      where earlier.organization_id = organization and earlier.daemon_id = daemon
        and earlier.initiated_at is not null and earlier.phase <> 'Cancelled'
        and earlier.subnet_ids is null
      order by place limit 2) as latest
    where latest.is_full_scan and (latest.phase = 'Complete' or latest.place = 1))
  where session.organization_id = organization and session.id = scan
    and session.is_full_scan is null;

  -- In one statement, so that what is remembered is what is handed over.
  return query
  with assigned as (
    select credential.id, credential.created_at, credential.settings,
      exists (
        select from public.credential_networks as broadcast
        where broadcast.organization_id = organization and broadcast.credential_id = credential.id
          and broadcast.network_id = scanned.network_id) as is_default,
      array(
        select distinct host(address.address) from public.credential_hosts as assignment
        join public.ip_addresses as address
          on address.organization_id = assignment.organization_id
          and address.host_id = assignment.host_id and address.valid_to is null
        where assignment.organization_id = organization
          and assignment.credential_id = credential.id and address.network_id = scanned.network_id
          and (not assignment.is_limited_to_addresses or exists (
            select from public.credential_host_ip_addresses as chosen
            where chosen.organization_id = organization
              and chosen.credential_id = credential.id and chosen.host_id = assignment.host_id
              and chosen.ip_address_id = address.id))
        order by 1) as addresses
    from public.credentials as credential
    where credential.organization_id = organization and scanned.receives_credentials
      and credential.settings->>'type' <> all (withheld)),
  handed as materialized (
    select assigned.*, (
      select left(encode(sha256(convert_to(
        assigned.settings::text || coalesce(
          string_agg(secret.field || ' ' || secret.sealed, ' ' order by secret.field), ''),
        'UTF8')), 'hex'), 32)
      from public.credential_secrets as secret
      where secret.organization_id = organization and secret.credential_id = assigned.id) as digest
    from assigned
    where assigned.is_default or cardinality(assigned.addresses) > 0
    order by assigned.created_at, assigned.id limit maximum),
  looked as (
    select session.is_full_scan as is_full, (
      select coalesce(jsonb_object_agg(handed.id || ' ' || handed.digest, case when handed.is_default
        then jsonb_build_object('network', true)
        else jsonb_build_object('addresses', to_jsonb(handed.addresses), 'hosts', (
          select coalesce(jsonb_agg(assignment.host_id order by assignment.host_id), '[]')
          from public.credential_hosts as assignment
          where assignment.organization_id = organization
            and assignment.credential_id = handed.id and exists (
              select from public.hosts as host where host.organization_id = organization
                and host.current_id = assignment.host_id
                and host.network_id = scanned.network_id))) end), '{}')
      from handed) as credentials
    from public.discovery_sessions as session
    where session.organization_id = organization and session.id = scan
      and (select count(*) < maximum and coalesce(sum(cardinality(handed.addresses)), 0)
        <= maximum_addresses from handed)),
  told as (
    select looked.is_full, case when exists (
      select from app.handed_scans as attempt
      join app.scan_scopes as scope
        on scope.organization_id = organization and scope.id = attempt.scope_id
      where attempt.organization_id = organization and attempt.session_id = scan
        and scope.credentials <> looked.credentials)
      then jsonb_build_object('attempts of ' || scan, jsonb_build_object('network', true))
      else looked.credentials end as credentials
    from looked),
  scope as (
    insert into app.scan_scopes as known (organization_id, daemon_id, is_full, credentials, digest)
    select organization, daemon, told.is_full, told.credentials,
      sha256(convert_to(told.is_full::text || told.credentials::text, 'UTF8'))
    from told
    on conflict (organization_id, daemon_id, digest) do update set used_at = now()
    returning known.id),
  noted as (
    insert into app.handed_scans (organization_id, session_id, daemon_id, started_at, scope_id)
    select organization, scan, daemon, scanned.started_at, scope.id from scope
    on conflict (organization_id, session_id) do update set scope_id = excluded.scope_id)
  select handed.id, handed.settings,
    (select coalesce(jsonb_object_agg(secret.field, secret.sealed), '{}')
      from public.credential_secrets as secret
      where secret.organization_id = organization and secret.credential_id = handed.id),
    handed.is_default, handed.addresses
  from handed order by handed.created_at, handed.id;

  delete from app.scan_scopes as old
  where old.organization_id = organization and old.id = any (array(
    select scope.id from app.scan_scopes as scope
    where scope.organization_id = organization and scope.daemon_id = daemon
      and scope.id is distinct from (
        select handed.scope_id from app.handed_scans as handed
        where handed.organization_id = organization and handed.session_id = scan)
    order by scope.used_at desc offset maximum_scopes - 1));
  delete from app.handed_scans as old
  where old.organization_id = organization and old.session_id = any (array(
    select handed.session_id from app.handed_scans as handed
    where handed.organization_id = organization and handed.daemon_id = daemon
    order by handed.started_at desc offset maximum_scans));
end
$$;
--> statement-breakpoint
grant execute on function
  app.scan_credentials(uuid, uuid, bigint, uuid, integer, text[]) to inventory_poller;
--> statement-breakpoint

-- app.ingest, for the daemon that is visited. Remembers which hosts its scan has
-- found; those beyond the bound keep their bindings.
create or replace function app.ingest_visit(network uuid, report jsonb) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  maximum constant integer := 100000;
  organization uuid := app.organization_id();
  discovery uuid := app.visit_discovery();
  result jsonb;
begin
  result := app.ingest(network, discovery, 'Discovery', report, false);
  insert into app.scan_hosts (organization_id, session_id, host_id)
  select organization, discovery, found.host_id
  from (
    select distinct (host.value->>2)::uuid as host_id
    from jsonb_array_elements(result->'hosts') as host) as found
  where found.host_id is not null
    and exists (
      select from public.discovery_sessions as session
      where session.organization_id = organization and session.id = discovery
        and (session.finished_at is null
          or (session.phase = 'Complete' and session.settled_at is null)))
    and not exists (
      select from app.scan_hosts as known where known.organization_id = organization
        and known.session_id = discovery and known.host_id = found.host_id)
  limit (
    select greatest(0, maximum - count(*)) from app.scan_hosts as known
    where known.organization_id = organization and known.session_id = discovery)
  on conflict do nothing;
  return result;
end
$$;
--> statement-breakpoint

-- A binding that a scan did not see again, and the scope of the scan that saw it last.
create type app.unseen_binding as (id uuid, host_id uuid, scope_id uuid);
--> statement-breakpoint
-- A host of such bindings, and the host that had them once: itself, or one that was consolidated into it.
create type app.judged_host as (scope_id uuid, host_id uuid, known_as uuid);
--> statement-breakpoint

-- Which bindings a scan of this scope looked for at least as widely as the scans of the same daemon that saw them
-- last: with every credential that these had for the host. That it is as full is the caller's to ask. A
-- host is known by its id, by those of hosts that were consolidated into it, and by its addresses.
create function app.looked_for(scope_of_scan uuid, candidates app.unseen_binding[]) returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  judged app.judged_host[];
  found uuid[];
begin
  -- Scans that looked alike looked alike, unless the binding has come from another host.
  judged := array(
    select distinct (candidate.scope_id, candidate.host_id, former.host_id)::app.judged_host
    from unnest(candidates) as candidate
    join public.bindings as version
      on version.organization_id = organization and version.live_id = candidate.id
    join public.services as former
      on former.organization_id = organization and former.live_id = version.service_id
    where candidate.scope_id <> scope_of_scan or former.host_id <> candidate.host_id);
  if judged = '{}' then
    return array(select candidate.id from unnest(candidates) as candidate);
  end if;
  -- What follows joins sets of which the planner knows no sizes.
  perform set_config('enable_nestloop', 'off', true);
  with seen as materialized (
    select * from unnest(judged)),
  place as materialized (
    select address.live_host_id as host_id, address.address
    from public.ip_addresses as address
    where address.organization_id = organization
      and address.live_host_id = any (array(select distinct seen.host_id from seen))),
  mine as materialized (
    select credential.key as credential, credential.value as reach
    from app.scan_scopes as scope cross join lateral jsonb_each(scope.credentials) as credential
    where scope.organization_id = organization and scope.id = scope_of_scan),
  -- What earlier scans had that this one had not in the same way.
  theirs as materialized (
    select scope.id as scope_id, credential.key as credential, credential.value as reach
    from app.scan_scopes as scope cross join lateral jsonb_each(scope.credentials) as credential
    left join mine on mine.credential = credential.key
    where scope.organization_id = organization
      and scope.id = any (array(select distinct seen.scope_id from seen))
      and not coalesce(mine.reach ? 'network', false)
      and (mine.reach is distinct from credential.value
        or exists (select from seen where seen.known_as <> seen.host_id))),
  their_hosts as materialized (
    select theirs.scope_id, theirs.credential, host.id::uuid as host_id
    from theirs cross join lateral jsonb_array_elements_text(theirs.reach->'hosts') as host (id)),
  their_addresses as materialized (
    select theirs.scope_id, theirs.credential, address.text::inet as address
    from theirs
    cross join lateral jsonb_array_elements_text(theirs.reach->'addresses') as address (text)),
  my_hosts as materialized (
    select mine.credential, host.id::uuid as host_id
    from mine cross join lateral jsonb_array_elements_text(mine.reach->'hosts') as host (id)
    where mine.credential in (select theirs.credential from theirs)),
  my_addresses as materialized (
    select mine.credential, address.text::inet as address
    from mine cross join lateral jsonb_array_elements_text(mine.reach->'addresses') as address (text)
    where mine.credential in (select theirs.credential from theirs)),
  my_places as materialized (
    select my_addresses.credential, place.host_id, place.address
    from my_addresses join place on place.address = my_addresses.address),
  -- At an address of the host, or at addresses that it has no more.
  had as (
    select seen.scope_id, seen.host_id, theirs.credential, place.address
    from seen join theirs on theirs.scope_id = seen.scope_id and theirs.reach ? 'network'
    left join place on place.host_id = seen.host_id
    union
    select seen.scope_id, seen.host_id, their_addresses.credential, place.address
    from their_addresses
    join place on place.address = their_addresses.address
    join seen on seen.scope_id = their_addresses.scope_id and seen.host_id = place.host_id
    union
    select seen.scope_id, seen.host_id, their_hosts.credential, null
    from their_hosts
    join seen on seen.scope_id = their_hosts.scope_id and seen.known_as = their_hosts.host_id),
  lacking as materialized (
    select distinct had.scope_id, had.host_id
    from had
    left join my_places as there on there.credential = had.credential
      and there.host_id = had.host_id and there.address = had.address
    left join (
      select my_hosts.credential, my_hosts.host_id from my_hosts
      union
      select my_places.credential, my_places.host_id from my_places) as anywhere
      on anywhere.credential = had.credential and anywhere.host_id = had.host_id
    where case when had.address is null then anywhere.credential else there.credential end is null)
  select array_agg(candidate.id) into found
  from unnest(candidates) as candidate
  left join lacking
    on lacking.scope_id = candidate.scope_id and lacking.host_id = candidate.host_id
  where lacking.host_id is null;
  perform set_config('enable_nestloop', 'on', true);
  return coalesce(found, '{}');
end
$$;
--> statement-breakpoint
grant execute on function app.looked_for(uuid, app.unseen_binding[]) to inventory_ingest;
--> statement-breakpoint

-- Absence: ends the bindings that a scan of a daemon did not see again on the hosts that it found, where it
-- looked at least as widely as the scan of this daemon that saw them last. What others have found, or people
-- have written, it may not have looked at.
create or replace function app.settle_scan(scan uuid) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  settled record;
  found_hosts uuid[];
  candidates app.unseen_binding[];
  ending uuid[];
  ended integer := 0;
begin
  select session.daemon_id, session.network_id, session.subnet_ids, handed.started_at,
    scope.id as scope_id, scope.is_full,
    coalesce(gaps.host_ids, '{}') as gap_hosts, coalesce(gaps.addresses, '{}') as gap_addresses,
    coalesce(gaps.is_unbounded, false) as is_unbounded
  into settled
  from public.discovery_sessions as session
  left join app.handed_scans as handed
    on handed.organization_id = session.organization_id and handed.session_id = session.id
  left join app.scan_scopes as scope
    on scope.organization_id = handed.organization_id and scope.id = handed.scope_id
  left join app.scan_gaps as gaps
    on gaps.organization_id = session.organization_id and gaps.session_id = session.id
  where session.organization_id = organization and session.id = scan and session.phase = 'Complete';
  if not found then
    return 0;
  end if;
  if settled.scope_id is not null and not settled.is_unbounded then
    found_hosts := array(
      select found.host_id from app.scan_hosts as found
      where found.organization_id = organization and found.session_id = scan);
    perform app.lock_hosts(found_hosts);
    found_hosts := array(
      select host.id from public.hosts as host
      where host.organization_id = organization and host.network_id = settled.network_id
        and host.current_id = any (found_hosts) and host.id <> all (settled.gap_hosts)
      except
      select address.live_host_id from public.ip_addresses as address
      where address.organization_id = organization and address.network_id = settled.network_id
        and address.valid_to is null and address.address = any (settled.gap_addresses));
    candidates := array(
      select (binding.id, binding.host_id, earlier.scope_id)::app.unseen_binding
      from public.bindings as binding
      left join app.handed_scans as earlier
        on earlier.organization_id = organization and earlier.session_id = binding.last_discovery_id
          and earlier.daemon_id = settled.daemon_id
      left join app.scan_scopes as scope
        on scope.organization_id = organization and scope.id = earlier.scope_id
      where binding.organization_id = organization and binding.live_host_id = any (found_hosts)
        and binding.valid_to is null and binding.first_discovery_id is not null
        and binding.last_discovery_id <> scan
        -- Before its first scan a daemon has looked at the least.
        and (binding.last_discovery_id = settled.daemon_id
          or (earlier.started_at < settled.started_at and (settled.is_full or not scope.is_full)))
        -- A scan of some subnets has not looked at addresses outside them.
        and (settled.subnet_ids is null or not exists (
          select from public.ip_addresses as address
          where address.organization_id = organization and address.live_host_id = binding.host_id
            and (binding.ip_address_id is null or address.id = binding.ip_address_id)
            and not exists (
              select from public.subnets as scanned
              where scanned.organization_id = organization and scanned.id = any (settled.subnet_ids)
                and scanned.valid_to is null and scanned.cidr >>= address.address)))
        -- Its host was consolidated into one that the scan found, and was not found itself. The versions
        -- of services tell: those of bindings do not name hosts.
        and not exists (
          select from public.bindings as version
          join public.services as former
            on former.organization_id = organization and former.live_id = version.service_id
          where version.organization_id = organization and version.live_id = binding.live_id
            and former.valid_to > settled.started_at and former.host_id <> binding.host_id
            and (former.host_id = any (settled.gap_hosts) or not exists (
              select from app.scan_hosts as found where found.organization_id = organization
                and found.session_id = scan and found.host_id = former.host_id))));
    ending := app.looked_for(settled.scope_id, candidates);
    delete from public.bindings as binding
    where binding.organization_id = organization and binding.id = any (ending);
    get diagnostics ended = row_count;
  end if;
  delete from app.scan_gaps as gaps
  where gaps.organization_id = organization and gaps.session_id = scan;
  delete from app.scan_hosts as found
  where found.organization_id = organization and found.session_id = scan;
  return ended;
end
$$;
--> statement-breakpoint

-- Of scans that failed or were cancelled nothing is settled.
create function app.forget_unsettled() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from app.scan_gaps as gaps
  where gaps.organization_id = new.organization_id and gaps.session_id = new.id;
  delete from app.scan_hosts as found
  where found.organization_id = new.organization_id and found.session_id = new.id;
  return null;
end
$$;
--> statement-breakpoint
create trigger forget_unsettled after update on discovery_sessions for each row
  when (new.phase in ('Failed', 'Cancelled') and old.phase <> new.phase)
  execute function app.forget_unsettled();
--> statement-breakpoint
delete from app.scan_gaps as gaps using public.discovery_sessions as session
where session.organization_id = gaps.organization_id and session.id = gaps.session_id
  and session.phase in ('Failed', 'Cancelled');
--> statement-breakpoint
-- Without hosts, null, nobody knows which they were.
create or replace function app.note_scan_gaps(seen_hosts uuid[], seen_addresses inet[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  maximum constant integer := 10000;
  scan record;
  hosts uuid[];
  addresses inet[];
  is_unbounded boolean;
begin
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
    is_unbounded := coalesce(scan.is_unbounded, false) or seen_hosts is null
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

-- The scans that ran when their daemon was deleted, with all that it takes to end them there: the daemon
-- goes on until it is told. Its token stays sealed. Kept for minutes.
create table app.scan_cancellations (
  organization_id uuid not null references public.organizations (id) on delete cascade,
  session_id uuid not null,
  daemon_id uuid not null,
  url text not null,
  sealed_token text not null,
  requested_at timestamptz not null default now(),
  next_try_at timestamptz not null default now(),
  primary key (organization_id, session_id)
);
--> statement-breakpoint
create index scan_cancellations_requested_index on app.scan_cancellations (requested_at);
--> statement-breakpoint
-- A daemon goes with its network as well. With its organization nothing is left.
create function app.remember_running_scan() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  maximum constant integer := 100;
begin
  insert into app.scan_cancellations (organization_id, session_id, daemon_id, url, sealed_token)
  select session.organization_id, session.id, old.id, old.url, secret.sealed
  from public.discovery_sessions as session
  join public.organizations as organization on organization.id = session.organization_id
  join public.daemon_secrets as secret on secret.organization_id = session.organization_id
    and secret.daemon_id = session.daemon_id and secret.field = 'token'
  where session.organization_id = old.organization_id and session.daemon_id = old.id
    and session.phase in ('Pending', 'Starting', 'Started', 'Scanning')
    and (select count(*) < maximum from app.scan_cancellations as waiting
      where waiting.organization_id = old.organization_id)
  on conflict do nothing;
  return old;
end
$$;
--> statement-breakpoint
create trigger remember_running_scan before delete on daemons for each row
  execute function app.remember_running_scan();
--> statement-breakpoint
-- The cancellations that are due, to be sent. Each is due again until it is forgotten, or too old.
create function app.claim_scan_cancellations(maximum integer)
returns table (organization_id uuid, session_id uuid, daemon_id uuid, url text, sealed_token text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  delete from app.scan_cancellations as old
  where old.requested_at <= now() - interval '5 minutes';
  return query
  update app.scan_cancellations as claimed set next_try_at = now() + interval '30 seconds'
  where claimed.ctid = any (array(
    select due.ctid from app.scan_cancellations as due where due.next_try_at <= now()
    order by due.requested_at limit maximum for update skip locked))
  returning claimed.organization_id, claimed.session_id, claimed.daemon_id, claimed.url,
    claimed.sealed_token;
end
$$;
--> statement-breakpoint
create function app.forget_scan_cancellation(organization uuid, scan uuid) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  delete from app.scan_cancellations
  where organization_id = organization and session_id = scan
$$;
--> statement-breakpoint
grant execute on function app.claim_scan_cancellations(integer),
  app.forget_scan_cancellation(uuid, uuid) to inventory_poller;
