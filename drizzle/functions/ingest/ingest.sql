-- Ingests a report of one network, whatever its size, in the order of section 10 of the API contract:
-- matching, merging, absence. First everything is decided, from what is stored and locked; then it is
-- written. A dry run ends between the two. What a host has no room for is left out, and an issue says so.
--
-- `report` (src/discovery/ingest/parameter.ts): `observed_at`, `subnets`, `hosts`, `addresses`, `ports`,
-- `services`, `bindings`, `scans`. Returns `hosts`, `issues` and `subnets` (src/discovery/ingest/result.ts).
create or replace function app.ingest(
  network uuid, discovery uuid, source_type text, report jsonb, dry_run boolean)
returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  -- The daemon that reports; null of an import.
  reporter uuid := app.visited_daemon();
  changed_at timestamptz;
  seen_at timestamptz;
  -- The daemons of the network that can be reached: what one of them has filled is its own to change.
  watching uuid[];
  subnets app.ingested_record[];
  hosts app.ingested_host[];
  addresses app.ingested_address[];
  pairs app.ingested_pair[];
  by_id app.ingested_match[];
  by_address app.ingested_match[];
  by_mac app.ingested_match[];
  matched app.ingested_match[];
  paired_indexes int[];
  moving app.ingested_pair[];
  moved_addresses uuid[];
  taken_indexes int[];
  taken_hosts uuid[];
  open_ports uuid[];
  own_scan record;
  -- What the daemon saw last on ports where it finds other services now, having looked as widely.
  superseded uuid[];
  failed int[];
  issues app.ingested_issue[];
  planned_hosts app.ingested_record[];
  planned_addresses app.ingested_record[];
  planned_ports app.ingested_record[];
  planned_services app.ingested_record[];
  planned_bindings app.ingested_binding[];
  seen_bindings uuid[];
  ended_bindings uuid[];
  emptied_services uuid[];
  changed int[];
  -- Places in what is planned.
  beyond bigint[];
begin
  -- Plans are made for the report at hand: a small one before it says nothing of a large one.
  perform set_config('plan_cache_mode', 'force_custom_plan', true);
  if not dry_run then
    -- Reports of one network follow each other.
    perform app.lock_records(network_ids => array[network]);
  end if;
  if not exists (
    select from public.networks as known
    where known.organization_id = organization and known.id = network)
  then
    perform app.abort('entity_not_found', jsonb_build_object('entity', 'Network', 'id', network));
  end if;

  -- Whatever the report may match is locked before it is looked at, so that what other writers change
  -- meanwhile is seen, and the timestamp of all changes is fixed after theirs.
  if not dry_run then
    perform app.lock_hosts(array(
      select known.id from public.hosts as known
      where known.organization_id = organization and known.network_id = network
        and known.valid_to is null
        and known.id in (
          select sent.id from jsonb_to_recordset(report->'hosts') as sent (id uuid))
      union
      select stored.host_id from public.ip_addresses as stored
      where stored.organization_id = organization and stored.network_id = network
        and stored.valid_to is null
        and (stored.address in (
            select sent.ip from jsonb_to_recordset(report->'addresses') as sent (ip inet))
          or stored.mac_address in (
            select sent.mac from jsonb_to_recordset(report->'addresses') as sent (mac macaddr)))));
  end if;
  changed_at := coalesce(
    nullif(current_setting('app.changed_at', true), '')::timestamptz,
    date_trunc('milliseconds', clock_timestamp()));
  seen_at := least(coalesce((report->>'observed_at')::timestamptz, changed_at), changed_at);
  watching := array(
    select daemon.id from public.daemons as daemon
    where daemon.organization_id = organization and daemon.network_id = network
      and not daemon.is_unreachable);

  -- Subnets, by their blocks. Of one that is there, only when it was seen changes.
  subnets := array(
    select (null, sent.cidr::text, null, coalesce(known.id, gen_random_uuid()), known.id is null,
      jsonb_build_object('name', sent.name, 'description', sent.description,
        'subnet_type', sent.subnet_type, 'sent', sent.sent), null)::app.ingested_record
    from (
      select distinct on (every.cidr) every.*,
        array_agg(every.position) over (partition by every.cidr) as sent
      from (
        select network(sent.cidr)::cidr as cidr, sent.name, sent.description, sent.subnet_type,
          sent.position
        from jsonb_to_recordset(report->'subnets')
          as sent (position int, cidr inet, name text, description text, subnet_type text)) as every
      order by every.cidr, every.position) as sent
    left join public.subnets as known
      on known.organization_id = organization and known.network_id = network
        and known.valid_to is null and known.cidr = sent.cidr);

  hosts := array(
    select (sent.index, sent.id, sent.details, sent.ranks, sent.given_name, sent.fallback_name,
      scan.tcp, scan.udp)::app.ingested_host
    from jsonb_to_recordset(report->'hosts') as sent (
      index int, id uuid, details jsonb, ranks jsonb, given_name text, fallback_name text, scan int)
    left join jsonb_to_recordset(report->'scans')
      as scan (scan int, tcp int4multirange, udp int4multirange) on scan.scan = sent.scan);

  -- An address lies in the network's smallest subnet that holds it; a loopback one in none. Addresses of
  -- loopback interfaces, and of bridges of containers, are those of many hosts: they tell a host from
  -- others only where it has no other. In one subnet an address is of one host, so the next one's lies in
  -- none.
  addresses := array(
    select (sent.index, sent.position, sent.ip, sent.mac, sent.name,
      case when not sent.is_bridged or sent.index = min(sent.index) over (
          partition by sent.subnet_id, sent.ip) then sent.subnet_id end,
      not sent.is_local or bool_and(sent.is_local) over (partition by sent.index), sent.is_local,
      sent.mac is not null and not app.is_shared_mac(sent.mac)
        and min(sent.index) over (partition by sent.mac) = max(sent.index) over (partition by sent.mac)
      )::app.ingested_address
    from (
      select every.*, home.id as subnet_id, home.is_bridge as is_bridged,
        app.is_loopback(every.ip) or coalesce(home.is_bridge, false) as is_local
      from jsonb_to_recordset(report->'addresses')
        as every (index int, position int, ip inet, mac macaddr, name text)
      left join lateral (
        select subnet.id, subnet.type = 'DockerBridge' as is_bridge from (
          (select known.id, masklen(known.cidr) as length, known.subnet_type as type
          from public.subnets as known
          where known.organization_id = organization and known.network_id = network
            and known.valid_to is null and known.cidr >>= every.ip
          order by masklen(known.cidr) desc limit 1)
          union all
          (select added.id, masklen(added.key::cidr), added.changes->>'subnet_type'
          from unnest(subnets) as added
          where added.is_new and added.key::cidr >>= every.ip
          order by masklen(added.key::cidr) desc limit 1)) as subnet
        where not app.is_loopback(every.ip)
        order by subnet.length desc limit 1) as home on true) as sent);

  -- Hosts of the report that contradict each other: neither is believed, whichever comes first.
  issues := array(
    select (twice.index, 'same_address', twice.position,
      case twice.index when twice.first then twice.last else twice.first end)::app.ingested_issue
    from (
      select sent.index, sent.position, min(sent.index) over same as first,
        max(sent.index) over same as last
      from unnest(addresses) as sent where sent.identifies
      window same as (partition by sent.address)) as twice
    where twice.first <> twice.last
    union all
    select (twice.index, 'same_id', null,
      case twice.index when twice.first then twice.last else twice.first end)::app.ingested_issue
    from (
      select sent.index, min(sent.index) over same as first, max(sent.index) over same as last
      from unnest(hosts) as sent where sent.told_id is not null
      window same as (partition by sent.told_id)) as twice
    where twice.first <> twice.last);
  failed := array(select distinct raised.index from unnest(issues) as raised);

  -- Matching, first: by an id of the network.
  by_id := array(
    select (sent.index, known.id, 'id')::app.ingested_match
    from unnest(hosts) as sent
    join public.hosts as known on known.organization_id = organization
      and known.network_id = network and known.valid_to is null and known.id = sent.told_id
    where sent.index <> all (failed));

  -- Second: by the same address in the same subnet. One whose subnet nobody knew, or that discovery
  -- found, lies in the subnet that holds it now.
  -- What a person has to do with is not free.
  pairs := array(
    select (pair.index, pair.position, pair.address, pair.host_id, pair.id, pair.is_exact, pair.likeness,
      pair.is_free, pair.is_free and exists (
        select from public.ip_addresses as other
        where other.organization_id = organization and other.live_host_id = pair.host_id
          and other.last_seen_at > pair.last_seen_at and not app.is_loopback(other.address))
      )::app.ingested_pair
    from (
      select sent.index, sent.position, sent.address, stored.host_id, stored.id, stored.last_seen_at,
        stored.subnet_id is not distinct from sent.subnet_id as is_exact,
        case when app.is_shared_mac(sent.mac) or app.is_shared_mac(stored.mac_address) then 1
          else case sent.mac = stored.mac_address when true then 2 when false then 0 else 1 end
          end as likeness,
        coalesce(sent.mac <> stored.mac_address, false) and stored.first_discovery_id is not null
          and seen_at >= stored.last_seen_at and not sent.is_local
          and not app.is_shared_mac(sent.mac) and not app.is_shared_mac(stored.mac_address)
          and coalesce(to_jsonb(stored.mac_address) = stored.discovered->'mac_address', false)
          and not exists (
            select from public.bindings as bound where bound.organization_id = organization
              and bound.live_ip_address_id = stored.id and bound.first_discovery_id is null)
          and not exists (
            select from public.credential_host_ip_addresses as assigned
            where assigned.organization_id = organization and assigned.ip_address_id = stored.id)
          as is_free
      from unnest(addresses) as sent
      join public.ip_addresses as stored on stored.organization_id = organization
        and stored.network_id = network and stored.valid_to is null and stored.address = sent.address
      where sent.identifies
        and (stored.subnet_id is not distinct from sent.subnet_id or stored.subnet_id is null
          or stored.first_discovery_id is not null)
        -- What many hosts have is theirs only where they, too, have no other.
        and (not sent.is_local or not exists (
          select from public.ip_addresses as other
          left join public.subnets as home
            on home.organization_id = organization and home.current_id = other.subnet_id
          where other.organization_id = organization and other.live_host_id = stored.host_id
            and not app.is_loopback(other.address)
            and home.subnet_type is distinct from 'DockerBridge'))
      offset 0) as pair);
  -- Of several hosts of the report that are one stored host, one is it. The others take what is left.
  matched := by_id;
  loop
    -- Arrays are hashed whatever the planner expects of their size.
    select coalesce(array_agg(own.index), '{}'), coalesce(array_agg(own.host_id), '{}')
    into taken_indexes, taken_hosts from unnest(matched) as own;
    by_address := array(
      select distinct on (best.host_id) (best.index, best.host_id, 'address')::app.ingested_match
      from (
        -- Of several stored hosts that are one of the report, the one that it says most of, or the oldest.
        select distinct on (counted.index) counted.*
        from (
          select pair.index, pair.host_id, bool_or(pair.is_exact) as is_exact, count(*) as number,
            min(pair.address) as lowest, max(pair.likeness) as likeness,
            count(*) over (partition by pair.index) as choices
          from unnest(pairs) as pair
          where pair.index <> all (failed) and not pair.is_gone
            and pair.index <> all (taken_indexes) and pair.host_id <> all (taken_hosts)
          group by pair.index, pair.host_id) as counted
        join public.hosts as known on known.organization_id = organization
          and known.current_id = counted.host_id
        order by counted.index, counted.is_exact desc, counted.likeness desc, counted.number desc,
          known.created_at, counted.lowest, known.id) as best
      order by best.host_id, best.is_exact desc, best.likeness desc, best.choices, best.number desc,
        best.lowest);
    exit when by_address = '{}';
    matched := matched || by_address;
  end loop;

  loop
    -- An address that went from its host to another one, by their MAC addresses: that one was seen
    -- elsewhere, before or in this report.
    moving := array(
      select pair from unnest(pairs) as pair
      left join unnest(matched) as holder on holder.host_id = pair.host_id
      where pair.is_free and pair.index <> all (failed) and holder.index is distinct from pair.index
        and (pair.is_gone or holder.index is not null));
    moved_addresses := array(select leaving.address_id from unnest(moving) as leaving);

    -- Third: by the same MAC address, of one host of the report and of one that is stored. A host whose
    -- address is stored with another one has failed, and must not become a third one when the MAC
    -- addresses that this report writes are stored. What a scan saw before is none of its other hosts.
    select coalesce(array_agg(distinct pair.index), '{}') into paired_indexes from unnest(pairs) as pair
    where pair.address_id <> all (moved_addresses);
    select coalesce(array_agg(own.index), '{}'), coalesce(array_agg(own.host_id), '{}')
    into taken_indexes, taken_hosts from unnest(matched) as own;
    by_mac := array(
      select distinct on (best.host_id) (best.index, best.host_id, 'mac')::app.ingested_match
      from (
        select distinct on (counted.index) counted.*
        from (
          select owned.index, owned.host_id, count(distinct owned.mac) as number,
            min(owned.mac::text) as lowest
          from (
            select sent.index, sent.mac, (array_agg(stored.host_id))[1] as host_id
            from unnest(addresses) as sent
            join public.ip_addresses as stored on stored.organization_id = organization
              and stored.network_id = network and stored.valid_to is null
              and stored.mac_address = sent.mac
            where sent.mac_identifies and sent.index <> all (failed)
            group by sent.index, sent.mac having count(distinct stored.host_id) = 1) as owned
          where owned.index <> all (taken_indexes) and owned.index <> all (paired_indexes)
            and owned.host_id <> all (taken_hosts)
          group by owned.index, owned.host_id) as counted
        join public.hosts as known on known.organization_id = organization
          and known.current_id = counted.host_id
          and (known.last_discovery_id is distinct from discovery or discovery = reporter)
        order by counted.index, counted.number desc, known.created_at, counted.lowest, known.id) as best
      order by best.host_id, best.number desc, best.lowest);
    exit when by_mac = '{}';
    matched := matched || by_mac;
  end loop;

  -- A host without a match whose address a stored host has cannot be new: another host of the report
  -- is that stored host, and the report names the two apart.
  issues := issues || array(
    select (pair.index, 'taken_address', pair.position, min(pair.host_id::text))::app.ingested_issue
    from unnest(pairs) as pair
    left join unnest(matched) as own on own.index = pair.index
    where pair.index <> all (failed)
    group by pair.index, pair.position
    having not coalesce(bool_or(own.host_id = pair.host_id), false)
      and not bool_or(pair.address_id = any (moved_addresses)));
  failed := failed || array(
    select distinct raised.index from unnest(issues) as raised
    left join unnest(matched) as own on own.index = raised.index
    where own.index is null and raised.kind = 'taken_address');
  moving := array(select leaving from unnest(moving) as leaving where leaving.index <> all (failed));
  moved_addresses := array(select leaving.address_id from unnest(moving) as leaving);

  -- Merging: see app.fillable. A host is named by what it says of itself: its sys_name (4), then its
  -- hostname (3), if these are what it keeps; else by what an import (2) or a daemon (1) calls it; else by
  -- an address (0). Daemons call a host by what they happen to find on it, so a name that a daemon gave
  -- before is none that it has come to have, nor is the ninth.
  planned_hosts := array(
    with sighting as materialized (
      select every.index, array_agg(every.address) as addresses, array_agg(every.mac) as macs,
        host((array_agg(every.address order by every.position))[1]) as place
      from unnest(addresses) as every group by every.index),
    -- The places of a host at which it is not seen now: all its other addresses where a person made it of
    -- several hosts; else those of other interfaces, and those at which a daemon sees it apart, in this scan or
    -- in one before.
    apart as (
      select known.index, array_agg(host(known.address)) as addresses
      from (
        select own.index, stored.address, stored.mac_address,
          stored.address = any (sighting.addresses) as is_seen,
          case when reporter <> discovery then stored.last_discovery_id = discovery or exists (
            select from jsonb_each(holder.evidence) as field
            where field.value->>'address' = host(stored.address)) end as is_apart,
          bool_or(stored.evidence ? 'host_id') over same as is_united,
          sighting.macs || array_agg(stored.mac_address) filter (
            where stored.address = any (sighting.addresses)) over same as macs
        from unnest(matched) as own
        join sighting on sighting.index = own.index
        join public.hosts as holder on holder.organization_id = organization
          and holder.current_id = own.host_id
        join public.ip_addresses as stored on stored.organization_id = organization
          and stored.live_host_id = own.host_id
        where not app.is_loopback(stored.address) and stored.id <> all (moved_addresses)
        window same as (partition by own.index)) as known
      where not known.is_seen and (known.is_united or known.is_apart or (
        known.mac_address <> all (array_remove(known.macs, null))
        and array_remove(known.macs, null) <> '{}'))
      group by known.index)
    select (sent.index, null, host.id, host.id, own.host_id is null,
      case when named.changes is null then filled.changes
        else coalesce(filled.changes, '{}') || named.changes end,
      case when named.evidence_of_changes is null then filled.evidence_of_changes
        else coalesce(filled.evidence_of_changes, '{}') || case when candidate.rank <> 1
            then named.evidence_of_changes
          else jsonb_set(named.evidence_of_changes, '{name,called}', held.called
            || case when held.called ? candidate.name then '[]' else to_jsonb(candidate.name) end) end
        end)::app.ingested_record
    from unnest(hosts) as sent
    cross join lateral (select gen_random_uuid() as id where sent.index is not null) as fresh
    left join unnest(matched) as own on own.index = sent.index
    left join public.hosts as known on known.organization_id = organization
      and known.current_id = own.host_id
    left join sighting as seen on seen.index = sent.index
    left join apart on apart.index = sent.index
    cross join lateral (
      select coalesce(known.id, fresh.id) as id,
        case when known.id is not null then app.details_of(known) end as details,
        known.id is null or seen_at >= known.last_seen_at as is_newer,
        coalesce(apart.addresses, '{}') as elsewhere
      offset 0) as host
    cross join lateral app.fillable(host.details, sent.details, known.discovered, known.evidence,
      sent.ranks, reporter, watching, host.is_newer, seen.place, host.elsewhere) as filled
    cross join lateral (
      select one.rank, app.host_name(case one.rank when 4 then one.sys_name when 3 then one.hostname
        when 0 then sent.fallback_name else sent.given_name end) as name
      from (
        select said.*, case
          -- An address is no name, also where a host says it of itself.
          when said.sys_name = coalesce(filled.changes->>'sys_name', known.sys_name)
            and not app.is_address(said.sys_name) then 4
          when said.hostname = coalesce(filled.changes->>'hostname', known.hostname)
            and not app.is_address(said.hostname) then 3
          when not app.is_address(sent.given_name) then case when reporter is null then 2 else 1 end
          else 0 end as rank
        from (
          select sent.details->>'sys_name' as sys_name, sent.details->>'hostname' as hostname) as said
        offset 0) as one
      offset 0) as candidate
    cross join lateral (
      select coalesce(known.evidence #> '{name,called}', '[]') as called,
        -- Of some hosts nothing is noted.
        jsonb_build_object('name', coalesce(known.evidence->'name', case
          when app.is_address(known.name) then '{}'
          when known.name = app.host_name(known.sys_name) then '{"rank": 4}'
          when known.name = app.host_name(known.hostname) then '{"rank": 3}'
          else '{}' end::jsonb)) as evidence
      offset 0) as held
    cross join lateral app.fillable(
      case when known.id is not null then jsonb_build_object('name', known.name) end,
      case when known.id is null or known.name = candidate.name or candidate.rank > 1
          or (candidate.rank = 1 and not held.called ? candidate.name
            and jsonb_array_length(held.called) < 8)
        then jsonb_build_object('name', candidate.name) end,
      known.discovered, held.evidence,
      case when candidate.rank = 0 then '{}'
        else jsonb_build_object('name', jsonb_build_object('rank', candidate.rank)) end,
      reporter, watching, host.is_newer, seen.place, host.elsewhere) as named
    where sent.index <> all (failed));

  -- Addresses of the planned hosts: those that another host keeps stay there, and those of bridges are
  -- also this one's. A person's place of an address stays.
  planned_addresses := array(
    select (sent.index, sent.address::text, host.id, coalesce(stored.id, gen_random_uuid()),
      stored.id is null,
      case when stored.id is null
        then jsonb_build_object('address', sent.address) || coalesce(filled.changes, '{}')
          || case when home.id is null then '{}' else jsonb_build_object('subnet_id', home.id) end
        else nullif(coalesce(filled.changes, '{}')
          || case when home.id is not null and home.id is distinct from stored.subnet_id
              and (stored.subnet_id is null
                or to_jsonb(stored.subnet_id) = stored.discovered->'subnet_id')
            then jsonb_build_object('subnet_id', home.id) else '{}' end, '{}') end,
      filled.evidence_of_changes)::app.ingested_record
    from unnest(addresses) as sent
    join unnest(planned_hosts) as host on host.index = sent.index
    left join lateral (
      select * from public.ip_addresses as known
      where known.organization_id = organization and known.live_host_id = host.id
        and known.address = sent.address and not host.is_new
      order by known.subnet_id is not distinct from sent.subnet_id desc, known.created_at, known.id
      limit 1) as stored on true
    left join lateral (
      select sent.subnet_id as id where stored.subnet_id is distinct from sent.subnet_id
        and not exists (
          select from public.ip_addresses as other where other.organization_id = organization
            and other.live_subnet_id = sent.subnet_id and other.address = sent.address
            and other.id <> all (moved_addresses))) as home
      on true
    cross join lateral (
      select case when stored.id is not null then jsonb_build_object(
          'mac_address', stored.mac_address, 'name', stored.name) end as row,
        jsonb_strip_nulls(jsonb_build_object('mac_address', sent.mac, 'name', sent.name)) as details
      offset 0) as said
    cross join lateral app.fillable(said.row, said.details, stored.discovered, stored.evidence, '{}',
      reporter, watching, stored.id is null or seen_at >= stored.last_seen_at, null, '{}') as filled
    where stored.id is not null or (sent.index, sent.position) not in (
      select raised.index, raised.position from unnest(issues) as raised
      where raised.kind = 'taken_address'));

  beyond := app.beyond_bounds('ip_addresses', array(
    select case when planned.is_new then planned.host_id end from unnest(planned_addresses) as planned));
  if beyond <> '{}' then
    issues := issues || array(
      select (planned.index, 'too_many', count(*), 'ip_addresses')::app.ingested_issue
      from unnest(planned_addresses) with ordinality as planned
      where planned.ordinality = any (beyond) group by planned.index);
    planned_addresses := array(
      select (planned.index, planned.key, planned.host_id, planned.id, planned.is_new, planned.changes,
        planned.evidence)::app.ingested_record
      from unnest(planned_addresses) with ordinality as planned
      where planned.ordinality <> all (beyond) order by planned.ordinality);
  end if;

  planned_ports := array(
    select (sent.index, sent.number || '/' || sent.protocol, host.id,
      coalesce(stored.id, gen_random_uuid()), stored.id is null,
      jsonb_build_object('number', sent.number, 'protocol', sent.protocol), null)::app.ingested_record
    from jsonb_to_recordset(report->'ports') as sent (index int, number int, protocol text)
    join unnest(planned_hosts) as host on host.index = sent.index
    left join public.ports as stored on stored.organization_id = organization
      and stored.live_host_id = host.id and stored.number = sent.number
      and stored.protocol = sent.protocol);

  beyond := app.beyond_bounds('ports', array(
    select case when planned.is_new then planned.host_id end from unnest(planned_ports) as planned));
  if beyond <> '{}' then
    issues := issues || array(
      select (planned.index, 'too_many', count(*), 'ports')::app.ingested_issue
      from unnest(planned_ports) with ordinality as planned
      where planned.ordinality = any (beyond) group by planned.index);
    planned_ports := array(
      select (planned.index, planned.key, planned.host_id, planned.id, planned.is_new, planned.changes,
        planned.evidence)::app.ingested_record
      from unnest(planned_ports) with ordinality as planned
      where planned.ordinality <> all (beyond) order by planned.ordinality);
  end if;

  -- A service is what its definition says, in its container; where the report names services port by
  -- port, also on its port, and then a product is the service that it is well known as. What was guessed on
  -- a port becomes what a probe finds there.
  planned_services := array(
    with sent as materialized (
      select every.*, lower(every.definition) as folded, host.id as host_id, host.is_new as is_on_new
      from jsonb_to_recordset(report->'services') as every (index int, service int, name text,
        definition text, version text, container text, virtualization jsonb, runner int,
        is_guess boolean, is_of_port boolean)
      join unnest(planned_hosts) as host on host.index = every.index),
    -- The stored services on the ports of those that were sent.
    held as materialized (
      select claimed.index, claimed.service, holder.id, holder.name, holder.created_at,
        lower(holder.service_definition) as folded, app.container_of(holder.virtualization) as container
      from jsonb_to_recordset(report->'bindings')
        as claimed (index int, service int, number int, protocol text)
      join unnest(planned_ports) as port on not port.is_new and port.index = claimed.index
        and port.key = claimed.number || '/' || claimed.protocol
      join public.bindings as bound on bound.organization_id = organization
        and bound.live_port_id = port.id
      join public.services as holder on holder.organization_id = organization
        and holder.current_id = bound.service_id),
    on_port as materialized (
      select distinct on (sent.index, sent.service) sent.index, sent.service, held.id
      from sent join held on held.index = sent.index and held.service = sent.service
        and held.container is not distinct from sent.container
        and (held.folded = sent.folded
          or (sent.is_of_port and not sent.is_guess and held.folded = lower(sent.name) and not exists (
            select from public.services as holder
            where holder.organization_id = organization and holder.current_id = held.id
              and app.is_guess(holder))))
      order by sent.index, sent.service, held.folded = sent.folded desc, held.name = sent.name desc,
        held.created_at, held.id),
    missing as materialized (
      select sent.* from sent left join on_port using (index, service)
      where on_port.id is null and not sent.is_on_new),
    elsewhere as (
      select missing.index, missing.service, stored.id from missing cross join lateral (
        select known.id from public.services as known
        where known.organization_id = organization and known.live_host_id = missing.host_id
          and lower(known.service_definition) = missing.folded
          and app.container_of(known.virtualization) is not distinct from missing.container
        order by known.name = missing.name desc, known.created_at, known.id limit 1) as stored
      where not missing.is_of_port),
    -- One whose port had closed, and has no other.
    idle as (
      select wanting.index, wanting.service, idle.id
      from (
        select *, row_number() over same as place from missing where is_of_port
        window same as (partition by index, folded, container order by service)) as wanting
      join (
        select known.host_id, known.id, lower(known.service_definition) as folded,
          app.container_of(known.virtualization) as container,
          row_number() over (
            partition by known.host_id, lower(known.service_definition),
              app.container_of(known.virtualization)
            order by known.created_at, known.id) as place
        from public.services as known
        where known.organization_id = organization
          and known.live_host_id in (select host_id from missing where is_of_port)
          and not exists (
            select from public.bindings as bound
            where bound.organization_id = organization and bound.live_service_id = known.id)) as idle
        on idle.host_id = wanting.host_id and idle.folded = wanting.folded
          and idle.container is not distinct from wanting.container and idle.place = wanting.place),
    found as (
      select * from on_port union all select * from elsewhere union all select * from idle),
    guessed as (
      select distinct on (one.id) one.index, one.service, one.id
      from (
        select distinct on (free.index, free.service) free.index, free.service, free.id
        from (
          select missing.index, missing.service, held.id, held.created_at, count(*) as ports
          from missing left join found using (index, service)
          join held on held.index = missing.index and held.service = missing.service
          where found.id is null and not missing.is_guess and not app.is_unclaimed(missing.definition)
          group by missing.index, missing.service, held.id, held.created_at) as free
        join public.services as holder on holder.organization_id = organization
          and holder.current_id = free.id
        where app.is_guess(holder)
          -- It has no other port.
          and free.ports >= (
            select count(*) from public.bindings as every
            where every.organization_id = organization and every.live_service_id = free.id)
        order by free.index, free.service, free.created_at, free.id) as one
      order by one.id, one.service),
    known as materialized (
      select sent.*, coalesce(found.id, guessed.id, gen_random_uuid()) as id,
        coalesce(found.id, guessed.id) is null as is_new, guessed.id is not null as is_replacing,
        not sent.is_guess and not app.is_unclaimed(sent.definition) as is_probed
      from sent left join found using (index, service) left join guessed using (index, service)),
    -- Several ports of the report may be of one stored service: the first speaks for all, and where they
    -- disagree nothing is replaced.
    chosen as materialized (
      select known.*, row_number() over (same order by known.service) = 1 as is_first,
        min(known.name) over same as least_name, max(known.name) over same as greatest_name,
        min(known.version) over same as least_version, max(known.version) over same as greatest_version
      from known window same as (partition by known.id))
    select (chosen.index, chosen.service, chosen.host_id, chosen.id, chosen.is_new, filled.changes,
      filled.evidence_of_changes)::app.ingested_record
    from chosen
    left join chosen as runner on runner.index = chosen.index and runner.service = chosen.runner
    left join public.services as stored on stored.organization_id = organization
      and stored.current_id = chosen.id
    cross join lateral (
      select case when chosen.virtualization is null then null
        else jsonb_set(chosen.virtualization, '{details,service_id}', coalesce(to_jsonb(runner.id),
          stored.virtualization #> '{details,service_id}', 'null')) end as virtualization
      offset 0) as run
    cross join lateral (
      select case when chosen.least_name = chosen.greatest_name then chosen.name
          else coalesce(stored.name, chosen.name) end as name,
        case when chosen.least_version = chosen.greatest_version then chosen.least_version
          else coalesce(stored.version, chosen.least_version) end as version
      offset 0) as agreed
    cross join lateral (
      -- Nearly all that an import sees again is as it was.
      select case when chosen.is_first and (reporter is not null or stored.id is null
          or chosen.is_replacing or stored.name <> agreed.name
          or stored.version is distinct from coalesce(agreed.version, stored.version)
          or stored.virtualization is distinct from coalesce(run.virtualization, stored.virtualization)
          or (chosen.is_probed and stored.evidence #>> '{service_definition,rank}' is null))
        then jsonb_build_object('name', agreed.name, 'service_definition',
            case when chosen.is_replacing then chosen.definition
              else coalesce(stored.service_definition, chosen.definition) end)
          || case when agreed.version is null then '{}'
            else jsonb_build_object('version', agreed.version) end
          || case when run.virtualization is null then '{}'
            else jsonb_build_object('virtualization', run.virtualization) end
        end as details,
        case when not chosen.is_probed then '{}'
          when agreed.version is null then '{"name": {"rank": 1}, "service_definition": {"rank": 1}}'
          else '{"name": {"rank": 1}, "service_definition": {"rank": 1}, "version": {"rank": 1}}'
          end::jsonb as ranks
      offset 0) as said
    cross join lateral app.fillable(
      case when stored.id is not null and said.details is not null then jsonb_build_object(
        'name', stored.name, 'service_definition', stored.service_definition,
        'version', stored.version, 'virtualization', stored.virtualization) end,
      said.details, stored.discovered, stored.evidence, said.ranks, reporter, watching,
      stored.id is null or seen_at >= stored.last_seen_at, null, '{}') as filled);

  beyond := app.beyond_bounds('services', array(
    select case when planned.is_new then planned.host_id end from unnest(planned_services) as planned));
  if beyond <> '{}' then
    issues := issues || array(
      select (planned.index, 'too_many', count(*), 'services')::app.ingested_issue
      from unnest(planned_services) with ordinality as planned
      where planned.ordinality = any (beyond) group by planned.index);
    planned_services := array(
      select (planned.index, planned.key, planned.host_id, planned.id, planned.is_new, planned.changes,
        planned.evidence)::app.ingested_record
      from unnest(planned_services) with ordinality as planned
      where planned.ordinality <> all (beyond) order by planned.ordinality);
  end if;

  -- Absence: a port that was looked at and is not open ends what discovery bound to it. What was seen
  -- after the report was made stays, and so does all of a host of which another entry has failed.
  open_ports := array(select open.id from unnest(planned_ports) as open);
  ended_bindings := array(
    select known.id
    from unnest(planned_hosts) as host
    join unnest(hosts) as sent on sent.index = host.index
    join public.bindings as known on known.organization_id = organization
      and known.live_host_id = host.id
    join public.ports as port on port.organization_id = organization
      and port.id = known.port_id
    where (sent.tcp is not null or sent.udp is not null)
      and known.first_discovery_id is not null and known.last_seen_at <= seen_at
      and case port.protocol when 'Tcp' then sent.tcp else sent.udp end @> port.number
      and port.id <> all (open_ports)
      and host.id not in (
        select pair.host_id from unnest(pairs) as pair where pair.index = any (failed)
        union all
        select told.told_id from unnest(hosts) as told
        where told.told_id is not null and told.index = any (failed)));

  -- Bindings. One that is stored covers the same one of the report, and any on an address that it is
  -- also on. Ports that no service claims are taken over by one that does, and those of a service that is
  -- not there any more by the one that is: who saw that one last has looked again, at least as widely. Else
  -- the service that has a port keeps it.
  if reporter is not null then
    select handed.started_at, handed.scope_id, scope.is_full into own_scan
    from app.handed_scans as handed
    join app.scan_scopes as scope
      on scope.organization_id = organization and scope.id = handed.scope_id
    where handed.organization_id = organization and handed.session_id = discovery;
    superseded := app.looked_for(own_scan.scope_id, array(
      with claimed as materialized (
        select port.id as port_id, service.id as service_id
        from jsonb_to_recordset(report->'bindings')
          as sent (index int, service int, number int, protocol text)
        join unnest(planned_ports) as port
          on port.index = sent.index and port.key = sent.number || '/' || sent.protocol
        join unnest(planned_services) as service
          on service.index = sent.index and service.key = sent.service::text)
      select (known.id, known.host_id, earlier.scope_id)::app.unseen_binding
      from unnest(planned_ports) as port
      join public.bindings as known on known.organization_id = organization
        and known.live_port_id = port.id
      left join app.handed_scans as earlier on earlier.organization_id = organization
        and earlier.session_id = known.last_discovery_id and earlier.daemon_id = reporter
      left join app.scan_scopes as scope
        on scope.organization_id = organization and scope.id = earlier.scope_id
      where own_scan.scope_id is not null and known.last_discovery_id <> discovery
        and (port.id, known.service_id) not in (select * from claimed)
        and (known.last_discovery_id = reporter
          or (earlier.started_at < own_scan.started_at
            and (own_scan.is_full or not scope.is_full)))));
  end if;
  planned_bindings := array(
    select (sent.index, sent.position, host.id, service.key, service.id,
      service.is_unclaimed, service.is_guess, service.is_protocol, sent.type, port.id, address.id,
      case
        when standing.is_own or standing.is_same then 'covered'
        when standing.in_the_way is not null then 'dropped'
        when standing.taken_over is not null then 'taken_over'
        else 'new' end,
      standing.taken_over, standing.in_the_way)::app.ingested_binding
    from jsonb_to_recordset(report->'bindings')
      as sent (index int, position int, service int, type text, number int, protocol text, ip inet)
    join unnest(planned_hosts) as host on host.index = sent.index
    join (
      select planned.*, told.is_guess, lower(told.definition) as folded,
        -- The Worker before this rule does not say it.
        coalesce(told.is_protocol, true) as is_protocol,
        app.is_unclaimed(
          coalesce(planned.changes->>'service_definition', known.service_definition)) as is_unclaimed,
        exists (
          select from public.bindings as bound
          where bound.organization_id = organization and bound.live_service_id = planned.id
            and bound.type = 'IPAddress') as has_addresses
      from unnest(planned_services) as planned
      join jsonb_to_recordset(report->'services')
        as told (index int, service int, definition text, is_guess boolean, is_protocol boolean)
        on told.index = planned.index and told.service::text = planned.key
      left join public.services as known on known.organization_id = organization
        and known.id = planned.id) as service
      on service.index = sent.index and service.key = sent.service::text
    left join unnest(planned_ports) as port
      on port.index = sent.index and port.key = sent.number || '/' || sent.protocol
    left join unnest(planned_addresses) as address
      on address.index = sent.index and address.key = sent.ip::text
    left join lateral (
      select bool_or(other.service_id = service.id and other.type = sent.type) as is_own,
        bool_or(other.type = 'Port' and sent.type = 'Port' and other.folded = service.folded) as is_same,
        (array_agg(other.id order by other.created_at, other.id) filter (
          where not (other.service_id = service.id and other.type = sent.type)
            and not other.is_free))[1] as in_the_way,
        (array_agg(other.id order by other.created_at, other.id) filter (
          where other.service_id <> service.id and other.is_free))[1] as taken_over
      from (
        select known.*, lower(holder.service_definition) as folded,
          known.type = 'Port' and not service.is_unclaimed and known.first_discovery_id is not null
            and (app.is_unclaimed(holder.service_definition)
              or (app.is_guess(holder) and not service.is_guess)
              or (not service.is_guess and not service.is_protocol and known.last_seen_at < seen_at
                and case when reporter is not null
                  then known.id = any (superseded)
                  else holder.evidence #>> '{service_definition,daemon_id}' is null
                    and exists (
                      select from unnest(hosts) as told where told.index = sent.index
                        and case sent.protocol when 'Tcp' then told.tcp else told.udp end
                          @> sent.number) end)) as is_free
        from (
          select * from public.bindings as on_port
          where on_port.organization_id = organization and on_port.live_port_id = port.id
          union all
          -- Of a service with thousands of ports, only what its addresses have to do with.
          select * from public.bindings as of_service
          where (service.has_addresses or sent.type = 'IPAddress')
            and of_service.organization_id = organization
            and of_service.live_service_id = service.id
            and (of_service.type <> sent.type or sent.type = 'IPAddress')) as known
        join public.services as holder on holder.organization_id = organization
          and holder.current_id = known.service_id) as other
      where not host.is_new and other.id <> all (ended_bindings)
        and (other.ip_address_id is null or (other.ip_address_id <> all (moved_addresses)
          and (address.id is null or other.ip_address_id = address.id)))
      ) as standing on true
    -- A binding to an address that another host has goes with it, and one to what there is no room for.
    where (sent.ip is null or address.id is not null) and (sent.type <> 'Port' or port.id is not null));
  -- What one binding takes over, no other of the report can.
  planned_bindings := array(
    select (planned.index, planned.position, planned.host_id, planned.service_key,
      planned.service_id, planned.is_unclaimed, planned.is_guess, planned.is_protocol, planned.type,
      planned.port_id, planned.ip_address_id,
      case when planned.fate <> 'taken_over' then planned.fate
        when planned.position = first_value(planned.position) over taking then 'taken_over'
        when planned.service_id = first_value(planned.service_id) over taking then 'covered'
        else 'dropped' end,
      planned.taken_id,
      case when planned.fate = 'taken_over' then planned.taken_id else planned.other_id end
      )::app.ingested_binding
    from unnest(planned_bindings) as planned
    window taking as (
      partition by planned.fate, planned.index, planned.taken_id order by planned.position));
  beyond := app.beyond_bounds('bindings', array(
    select case when planned.fate = 'new' then planned.host_id end
    from unnest(planned_bindings) as planned));
  if beyond <> '{}' then
    issues := issues || array(
      select (planned.index, 'too_many', count(*), 'bindings')::app.ingested_issue
      from unnest(planned_bindings) with ordinality as planned
      where planned.ordinality = any (beyond) group by planned.index);
    planned_bindings := array(
      select (planned.index, planned.position, planned.host_id, planned.service_key,
        planned.service_id, planned.is_unclaimed, planned.is_guess, planned.is_protocol, planned.type,
        planned.port_id, planned.ip_address_id, planned.fate, planned.taken_id, planned.other_id)::app.ingested_binding
      from unnest(planned_bindings) with ordinality as planned
      where planned.ordinality <> all (beyond) order by planned.ordinality);
  end if;
  issues := issues || array(
    select (planned.index, 'binding_conflict', planned.position, planned.other_id)::app.ingested_issue
    from unnest(planned_bindings) as planned
    where planned.fate = 'dropped' and not planned.is_unclaimed and not planned.is_guess);
  -- A service that keeps none of its bindings is not there, and says nothing of a stored one.
  planned_services := array(
    select planned::app.ingested_record from unnest(planned_services) as planned
    where planned.id in (
        select own.service_id from unnest(planned_bindings) as own where own.fate <> 'dropped')
      or (planned.index, planned.key) not in (
        select sent.index, sent.service::text
        from jsonb_to_recordset(report->'bindings') as sent (index int, service int)));

  -- What was guessed and loses its last port to what a probe found was never there; unless a person has
  -- named it.
  emptied_services := array(
    select distinct holder.id
    from unnest(planned_bindings) as planned
    join public.bindings as taken on taken.organization_id = organization
      and taken.id = planned.taken_id and planned.fate = 'taken_over'
    join public.services as holder on holder.organization_id = organization
      and holder.current_id = taken.service_id
    where app.is_guess(holder) and to_jsonb(holder.name) = holder.discovered->'name'
      and holder.id not in (select id from unnest(planned_services) as own));

  -- Seen again: what stands on a port that is open, unless another product was found there, and what
  -- stands in the way of a binding of the report otherwise.
  seen_bindings := array(
    select known.id
    from unnest(planned_bindings) as planned
    join public.bindings as known on known.organization_id = organization
      and known.live_port_id = planned.port_id
    where (known.ip_address_id is null or planned.ip_address_id is null
        or known.ip_address_id = planned.ip_address_id)
      and (planned.fate <> 'dropped' or planned.is_unclaimed or planned.is_guess
        or planned.is_protocol or known.service_id = planned.service_id)
    union
    select known.id
    from unnest(planned_bindings) as planned
    join public.bindings as known on known.organization_id = organization
      and known.live_ip_address_id = planned.ip_address_id
    where known.service_id = planned.service_id and known.type = 'IPAddress'
      and planned.type = 'IPAddress'
    union
    select known.id
    from unnest(planned_bindings) as planned
    join public.bindings as known on known.organization_id = organization
      and known.id = planned.other_id
    where planned.fate = 'dropped' and known.type = 'IPAddress');

  changed := array(
    select planned.index from unnest(planned_addresses || planned_ports || planned_services) as planned
    where planned.is_new
    union
    select planned.index from unnest(planned_hosts || planned_addresses || planned_services) as planned
    where planned.changes is not null
    union
    select planned.index from unnest(planned_bindings) as planned
    where planned.fate in ('new', 'taken_over')
    union
    select host.index from unnest(planned_hosts) as host
    where host.id in (select leaving.host_id from unnest(moving) as leaving)
    union
    select host.index from unnest(planned_hosts) as host
    join public.bindings as ended on ended.organization_id = organization
      and ended.live_host_id = host.id
    where ended.id = any (ended_bindings));

  -- Triggers run for every row that is written, and must not be planned for each.
  perform set_config('plan_cache_mode', 'auto', true);
  if not dry_run then
    perform app.write_ingested(network, discovery, source_type, seen_at, subnets, planned_hosts,
      planned_addresses, moved_addresses, planned_ports, planned_services, planned_bindings,
      seen_bindings, ended_bindings, emptied_services);
  end if;

  return jsonb_build_object(
    'hosts', (
      select coalesce(jsonb_agg(jsonb_build_array(sent.index,
        case when planned.index is null then 'failed' when planned.is_new then 'created'
          when sent.index = any (changed) then 'changed' else 'unchanged' end,
        case when not (dry_run and planned.is_new) then planned.id end,
        own.matched_by)), '[]')
      from unnest(hosts) as sent
      left join unnest(planned_hosts) as planned on planned.index = sent.index
      left join unnest(matched) as own on own.index = planned.index),
    'issues', (
      select coalesce(jsonb_agg(to_jsonb(raised)
        order by raised.index, raised.kind, raised.position), '[]')
      from unnest(issues) as raised),
    'subnets', (
      select coalesce(jsonb_agg(jsonb_build_object('sent', planned.changes->'sent',
        'id', case when not (dry_run and planned.is_new) then planned.id end)), '[]')
      from unnest(subnets) as planned));
end
$$;

grant execute on function app.ingest(uuid, uuid, text, jsonb, boolean) to inventory_api;
