-- What discovery wrote of a record, by column: see app.ingest.
ALTER TABLE "hosts" ADD COLUMN "discovered" jsonb;--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD COLUMN "discovered" jsonb;--> statement-breakpoint
ALTER TABLE "services" ADD COLUMN "discovered" jsonb;
--> statement-breakpoint
-- Every report writes all that it sees again: when that was, which no index has. A row whose page has
-- room for its new version stays in the indexes as it is, and a table has up to twenty of them.
alter table hosts set (fillfactor = 50);
--> statement-breakpoint
alter table ip_addresses set (fillfactor = 50);
--> statement-breakpoint
alter table ports set (fillfactor = 50);
--> statement-breakpoint
alter table services set (fillfactor = 50);
--> statement-breakpoint
alter table bindings set (fillfactor = 50);
--> statement-breakpoint
-- Keeps the history of a table, whoever writes. Needs the columns of `versioned` (tables/history.ts).
-- To be called again after a column was added.
-- `unversioned`: columns whose change makes no version, beyond those that no table makes one of.
-- `host_column`: the column that names the host a record belongs to, or is.
create or replace procedure app.keep_history(
  record_table name, unversioned name[] default '{}', host_column name default '')
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  kept text;
  kept_old text;
  versioned_new text;
  versioned_old text;
  said_new text;
  said_old text;
begin
  select string_agg(quote_ident(attname), ', ' order by attnum),
    string_agg(case attname when 'valid_to' then 'closed_at' when 'lineage_id' then 'old.id'
      else 'old.' || quote_ident(attname) end, ', ' order by attnum)
  into kept, kept_old
  from pg_attribute
  where attrelid = ('public.' || quote_ident(record_table))::regclass and attnum > 0
    and not attisdropped and attgenerated = '' and attname <> 'id';
  select string_agg('new.' || quote_ident(attname), ', ' order by attnum),
    string_agg('old.' || quote_ident(attname), ', ' order by attnum)
  into versioned_new, versioned_old
  from pg_attribute
  where attrelid = ('public.' || quote_ident(record_table))::regclass and attnum > 0
    and not attisdropped and attgenerated = ''
    and attname <> all (unversioned || array['id', 'organization_id', 'created_at', 'updated_at',
      'revision', 'last_seen_at', 'first_discovery_id', 'last_discovery_id', 'valid_from', 'valid_to',
      'lineage_id']::name[]);

  -- What a record says beside when it was last seen.
  select string_agg('new.' || quote_ident(attname), ', ' order by attnum),
    string_agg('old.' || quote_ident(attname), ', ' order by attnum)
  into said_new, said_old
  from pg_attribute
  where attrelid = ('public.' || quote_ident(record_table))::regclass and attnum > 0
    and not attisdropped and attgenerated = ''
    and attname not in ('last_seen_at', 'last_discovery_id');

  -- After the row has left the interval, so that its copy can take the interval over.
  execute format($function$
    create or replace function app.keep_version_of_%1$s() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $body$
    declare
      closed_at timestamptz;
    begin
      if tg_op = 'UPDATE' then
        closed_at := new.valid_from;
      elsif exists (select from public.organizations where id = old.organization_id) then
        closed_at := app.changed_at(old.organization_id);
      end if;
      -- A version that lasted no time was never visible.
      if closed_at > old.valid_from then
        insert into public.%1$I (%2$s) values (%3$s);
      end if;
      return null;
    end
    $body$
  $function$, record_table, kept, kept_old);
  execute format('revoke execute on function app.keep_version_of_%s() from public', record_table);

  if not exists (
    select from pg_constraint where conname = record_table || '_one_version_at_a_time')
  then
    execute format('alter table public.%I add constraint %I
      exclude using gist (organization_id with =, live_id with =,
        tstzrange(valid_from, valid_to) with &&)',
      record_table, record_table || '_one_version_at_a_time');
  end if;

  -- Triggers fire in the order of their names.
  execute format('create or replace trigger history_1_refuse before insert on public.%I
    for each row execute function app.refuse_written_history()', record_table);
  execute format('create or replace trigger history_2_begin before insert on public.%I
    for each row execute function app.begin_record(%L)', record_table, host_column);
  -- To be seen again is no change. An update that changes nothing at all is one: it says that a set
  -- of the record changed (app.revise_owners).
  execute format('create or replace trigger history_2_change before update on public.%1$I
    for each row when (
      old.valid_to is not null
      or (new.last_seen_at, new.last_discovery_id)
        is not distinct from (old.last_seen_at, old.last_discovery_id)
      or (%3$s) is distinct from (%4$s))
    execute function app.change_record(%2$L)', record_table, host_column, said_new, said_old);
  execute format('create or replace trigger history_2_end before delete on public.%I
    for each row execute function app.change_record(%L)', record_table, host_column);
  execute format('create or replace trigger history_3_version before update on public.%I
    for each row when ((%s) is distinct from (%s)) execute function app.begin_version()',
    record_table, versioned_new, versioned_old);
  execute format('create or replace trigger history_4_keep_changed after update on public.%1$I
    for each row when (new.valid_from is distinct from old.valid_from)
    execute function app.keep_version_of_%1$s()', record_table);
  execute format('create or replace trigger history_4_keep_deleted after delete on public.%1$I
    for each row execute function app.keep_version_of_%1$s()', record_table);
end
$$;
--> statement-breakpoint
call app.keep_history('subnets');
--> statement-breakpoint
call app.keep_history('ports', '{}', 'host_id');
--> statement-breakpoint
call app.keep_history('bindings', '{}', 'host_id');
--> statement-breakpoint
call app.keep_history('hosts', array['hidden', 'discovered'], 'id');
--> statement-breakpoint
call app.keep_history('ip_addresses', array['position', 'discovered'], 'host_id');
--> statement-breakpoint
call app.keep_history('services', array['position', 'discovered'], 'host_id');
--> statement-breakpoint
grant update (discovered) on hosts, ip_addresses, services to inventory_api;
--> statement-breakpoint

-- What is only seen again needs nothing completed.
do $$
declare
  part record;
begin
  for part in
    select * from (values ('ip_addresses', ''), ('ports', ''),
      ('services', ', %1$s.name, %1$s.service_definition'), ('bindings', ', %1$s.service_id')
    ) as parts (name, own)
  loop
    execute format('create or replace trigger complete before insert on %I
      for each row execute function app.complete_part_of_host()', part.name);
    execute format('create trigger complete_changed before update on %I
      for each row when ((new.host_id, new.network_id%s) is distinct from (old.host_id, old.network_id%s))
      execute function app.complete_part_of_host()',
      part.name, format(part.own, 'new'), format(part.own, 'old'));
  end loop;
end
$$;
--> statement-breakpoint

-- A discovery says when it saw what it creates, which may be some time ago; what a person creates is
-- seen now.
create or replace function app.refuse_written_history() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if row_security_active(tg_relid) then
    new.valid_from := null;
    new.valid_to := null;
    new.lineage_id := null;
    if new.first_discovery_id is null or new.last_seen_at > clock_timestamp() + interval '1 second' then
      new.last_seen_at := null;
    end if;
    new.created_at := now();
    new.updated_at := new.created_at;
    new.revision := 1;
  end if;
  return new;
end
$$;
--> statement-breakpoint

-- As before, and in time that grows with the bindings of a host, not with their square.
create or replace function app.refuse_binding_conflict() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  in_the_way uuid;
begin
  if not row_security_active(tg_relid) then
    return null;
  end if;
  with addresses as materialized (
    -- Few services have any.
    select known.* from (select distinct organization_id, service_id from changed) as service
    join public.bindings as known on known.organization_id = service.organization_id
      and known.live_service_id = service.service_id
    where known.type = 'IPAddress')
  select other.id into in_the_way
  from (
    select known.id, known.created_at
    from changed join public.bindings as known
      on known.organization_id = changed.organization_id and known.live_port_id = changed.port_id
    where changed.valid_to is null and known.id <> changed.id
      and (changed.ip_address_id is null or known.ip_address_id is null
        or changed.ip_address_id = known.ip_address_id)
    union all
    select address.id, address.created_at
    from changed join addresses as address
      on address.organization_id = changed.organization_id
        and address.service_id = changed.service_id
    where changed.valid_to is null and changed.type = 'Port'
      and (changed.ip_address_id is null or changed.ip_address_id = address.ip_address_id)
    union all
    select known.id, known.created_at
    from changed join addresses as address
      on address.organization_id = changed.organization_id and address.id = changed.id
    join public.bindings as known on known.organization_id = address.organization_id
      and known.live_service_id = address.service_id
    where known.type = 'Port'
      and (known.ip_address_id is null or known.ip_address_id = address.ip_address_id)
  ) as other
  order by other.created_at, other.id limit 1;
  if in_the_way is not null then
    perform app.abort('binding_conflict', jsonb_build_object('id', in_the_way));
  end if;
  return null;
end
$$;
--> statement-breakpoint

-- A MAC address that says nothing of who has it: that of loopback interfaces, those that routers hand
-- over to each other (VRRP: RFC 9568, section 7.3; HSRP; GLBP), and those of groups.
create function app.is_shared_mac(mac macaddr) returns boolean
language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
  select mac = '00:00:00:00:00:00'
    or mac & '01:00:00:00:00:00' <> '00:00:00:00:00:00'
    or mac & 'ff:ff:ff:ff:ff:00' in ('00:00:5e:00:01:00', '00:00:5e:00:02:00', '00:00:0c:07:ac:00')
    or mac & 'ff:ff:ff:ff:f0:00' in ('00:00:0c:9f:f0:00', '00:05:73:a0:00:00')
    or mac & 'ff:ff:ff:00:00:00' = '00:07:b4:00:00:00'
$$;
--> statement-breakpoint
create function app.is_loopback(address inet) returns boolean
language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
  select address <<= '127.0.0.0/8' or address = '::1'
$$;
--> statement-breakpoint

-- The rows that app.ingest works on. `index` is the place of a host in the report.
create type app.ingested_host as (
  index int, told_id uuid, details jsonb, fallback_name text, tcp int4multirange, udp int4multirange);
--> statement-breakpoint
-- `identifies`: whether the address can tell its host from others.
create type app.ingested_address as (
  index int, position int, address inet, mac macaddr, subnet_id uuid, identifies boolean,
  mac_identifies boolean);
--> statement-breakpoint
-- A stored address that is an address of the report. `is_exact`: in the very subnet.
create type app.ingested_pair as (
  index int, position int, address inet, host_id uuid, is_exact boolean);
--> statement-breakpoint
create type app.ingested_match as (index int, host_id uuid, matched_by text);
--> statement-breakpoint
-- A record of the report and the stored one, which has `id`. `changes`: its columns that change.
create type app.ingested_record as (
  index int, key text, host_id uuid, id uuid, is_new boolean, changes jsonb);
--> statement-breakpoint
create type app.ingested_binding as (
  index int, position int, host_id uuid, service_key text, service_id uuid, is_unclaimed boolean,
  type text, port_id uuid, ip_address_id uuid, fate text, taken_id uuid, other_id uuid);
--> statement-breakpoint
create type app.ingested_issue as (index int, kind text, position int, other text);
--> statement-breakpoint

-- Ingests a report of one network, whatever its size, in the order of section 10 of the API contract:
-- matching, merging, absence. First everything is decided, from what is stored and locked; then it is
-- written. A dry run ends between the two.
--
-- `report` (src/discovery/ingest/parameter.ts): `observed_at`, `subnets`, `hosts`, `addresses`, `ports`,
-- `services`, `bindings`, `scans`. Returns `hosts`, `issues` and `subnets` (src/discovery/ingest/result.ts).
create function app.ingest(
  network uuid, discovery uuid, source_type text, report jsonb, dry_run boolean)
returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  changed_at timestamptz;
  seen_at timestamptz;
  subnets app.ingested_record[];
  hosts app.ingested_host[];
  addresses app.ingested_address[];
  pairs app.ingested_pair[];
  by_id app.ingested_match[];
  by_address app.ingested_match[];
  by_mac app.ingested_match[];
  matched app.ingested_match[];
  taken_indexes int[];
  taken_hosts uuid[];
  open_ports uuid[];
  failed int[];
  issues app.ingested_issue[];
  planned_hosts app.ingested_record[];
  planned_addresses app.ingested_record[];
  planned_ports app.ingested_record[];
  planned_services app.ingested_record[];
  planned_bindings app.ingested_binding[];
  seen_bindings uuid[];
  ended_bindings uuid[];
  changed int[];
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

  -- Subnets, by their blocks. Of one that is there, only when it was seen changes.
  subnets := array(
    select (null, sent.cidr::text, null, coalesce(known.id, gen_random_uuid()), known.id is null,
      jsonb_build_object('name', sent.name, 'description', sent.description,
        'subnet_type', sent.subnet_type, 'sent', sent.sent))::app.ingested_record
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
    select (sent.index, sent.id, sent.details, sent.fallback_name, scan.tcp, scan.udp)::app.ingested_host
    from jsonb_to_recordset(report->'hosts')
      as sent (index int, id uuid, details jsonb, fallback_name text, scan int)
    left join jsonb_to_recordset(report->'scans')
      as scan (scan int, tcp int4multirange, udp int4multirange) on scan.scan = sent.scan);

  -- An address lies in the network's smallest subnet that holds it; a loopback one in none, and it tells
  -- its host from others only where the host has no other.
  addresses := array(
    select (sent.index, sent.position, sent.ip, sent.mac,
      case when not sent.is_loopback then (
        select subnet.id from (
          (select known.id, masklen(known.cidr) as length from public.subnets as known
          where known.organization_id = organization and known.network_id = network
            and known.valid_to is null and known.cidr >>= sent.ip
          order by masklen(known.cidr) desc limit 1)
          union all
          (select added.id, masklen(added.key::cidr) from unnest(subnets) as added
          where added.is_new and added.key::cidr >>= sent.ip
          order by masklen(added.key::cidr) desc limit 1)) as subnet
        order by subnet.length desc limit 1) end,
      not sent.is_loopback or bool_and(sent.is_loopback) over (partition by sent.index),
      sent.mac is not null and not app.is_shared_mac(sent.mac)
        and min(sent.index) over (partition by sent.mac) = max(sent.index) over (partition by sent.mac)
      )::app.ingested_address
    from (
      select *, app.is_loopback(every.ip) as is_loopback
      from jsonb_to_recordset(report->'addresses')
        as every (index int, position int, ip inet, mac macaddr)) as sent);

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
  pairs := array(
    select (sent.index, sent.position, sent.address, stored.host_id,
      stored.subnet_id is not distinct from sent.subnet_id)::app.ingested_pair
    from unnest(addresses) as sent
    join public.ip_addresses as stored on stored.organization_id = organization
      and stored.network_id = network and stored.valid_to is null and stored.address = sent.address
    where sent.identifies
      and (stored.subnet_id is not distinct from sent.subnet_id or stored.subnet_id is null
        or stored.first_discovery_id is not null)
      and (not app.is_loopback(sent.address) or not exists (
        select from public.ip_addresses as other
        where other.organization_id = organization and other.live_host_id = stored.host_id
          and not app.is_loopback(other.address))));
  -- Arrays are hashed whatever the planner expects of their size.
  select coalesce(array_agg(own.index), '{}'), coalesce(array_agg(own.host_id), '{}')
  into taken_indexes, taken_hosts from unnest(by_id) as own;
  by_address := array(
    -- Of several hosts of the report that are one stored host, one is it.
    select distinct on (best.host_id) (best.index, best.host_id, 'address')::app.ingested_match
    from (
      -- Of several stored hosts that are one of the report, the one that it says most of, or the oldest.
      select distinct on (counted.index) counted.*
      from (
        select pair.index, pair.host_id, bool_or(pair.is_exact) as is_exact, count(*) as number,
          min(pair.address) as lowest
        from unnest(pairs) as pair
        where pair.index <> all (failed)
          and pair.index <> all (taken_indexes) and pair.host_id <> all (taken_hosts)
        group by pair.index, pair.host_id) as counted
      join public.hosts as known on known.organization_id = organization
        and known.current_id = counted.host_id
      order by counted.index, counted.is_exact desc, counted.number desc, known.created_at,
        counted.lowest, known.id) as best
    order by best.host_id, best.is_exact desc, best.number desc, best.lowest);
  matched := by_id || by_address;
  select coalesce(array_agg(own.index), '{}'), coalesce(array_agg(own.host_id), '{}')
  into taken_indexes, taken_hosts from unnest(matched) as own;

  -- Third: by the same MAC address, of one host of the report and of one that is stored.
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
        where owned.index <> all (taken_indexes) and owned.host_id <> all (taken_hosts)
        group by owned.index, owned.host_id) as counted
      join public.hosts as known on known.organization_id = organization
        and known.current_id = counted.host_id
      order by counted.index, counted.number desc, known.created_at, counted.lowest, known.id) as best
    order by best.host_id, best.number desc, best.lowest);
  matched := matched || by_mac;

  -- A host without a match whose address a stored host has cannot be new: another host of the report
  -- is that stored host, and the report names the two apart.
  issues := issues || array(
    select (pair.index, 'taken_address', pair.position, min(pair.host_id::text))::app.ingested_issue
    from unnest(pairs) as pair
    left join unnest(matched) as own on own.index = pair.index
    where pair.index <> all (failed)
    group by pair.index, pair.position
    having not coalesce(bool_or(own.host_id = pair.host_id), false));
  failed := failed || array(
    select distinct raised.index from unnest(issues) as raised
    left join unnest(matched) as own on own.index = raised.index
    where own.index is null and raised.kind = 'taken_address');

  -- Merging: what a host says of itself fills what is empty, or what discovery wrote and nobody has
  -- changed since. A report that is older than what was seen last only fills.
  planned_hosts := array(
    select (sent.index, null, coalesce(own.host_id, fresh.id), coalesce(own.host_id, fresh.id),
      own.host_id is null,
      case when own.host_id is null
        then jsonb_build_object('name', sent.fallback_name) || sent.details
        else (
          select jsonb_object_agg(said.key, said.value)
          from jsonb_each(case
            -- A host that discovery named after its address takes a name of its hostname.
            when sent.details ? 'name' or not sent.details ? 'hostname' or not exists (
              select from public.ip_addresses as named
              where named.organization_id = organization and named.live_host_id = own.host_id
                and host(named.address) = known.name)
            then sent.details
            else sent.details || jsonb_build_object('name', sent.fallback_name) end) as said
          cross join lateral (select stored.row->said.key as value) as held
          where held.value is distinct from said.value
            and (coalesce(held.value, 'null') = 'null'
              or (held.value = known.discovered->said.key and seen_at >= known.last_seen_at))) end
      )::app.ingested_record
    from unnest(hosts) as sent
    cross join lateral (select gen_random_uuid() as id where sent.index is not null) as fresh
    left join unnest(matched) as own on own.index = sent.index
    left join public.hosts as known on known.organization_id = organization
      and known.current_id = own.host_id
    cross join lateral (select to_jsonb(known) as row) as stored
    where sent.index <> all (failed));

  -- Addresses of the planned hosts: those that another host has stay there.
  planned_addresses := array(
    select (sent.index, sent.address::text, host.id, coalesce(stored.id, gen_random_uuid()),
      stored.id is null,
      case when stored.id is null
        then jsonb_strip_nulls(jsonb_build_object(
          'address', sent.address, 'mac_address', sent.mac, 'subnet_id', sent.subnet_id))
        else nullif(
          case when sent.mac <> stored.mac_address and seen_at >= stored.last_seen_at
              and to_jsonb(stored.mac_address) = stored.discovered->'mac_address'
              or sent.mac is not null and stored.mac_address is null
            then jsonb_build_object('mac_address', sent.mac) else '{}' end
          || case when sent.subnet_id <> coalesce(stored.subnet_id, sent.address_id_none)
              and (stored.subnet_id is null or stored.first_discovery_id is not null)
              and not exists (
                select from public.ip_addresses as other where other.organization_id = organization
                  and other.valid_to is null and other.subnet_id = sent.subnet_id
                  and other.address = sent.address)
            then jsonb_build_object('subnet_id', sent.subnet_id) else '{}' end, '{}') end
      )::app.ingested_record
    from (
      select *, '00000000-0000-0000-0000-000000000000'::uuid as address_id_none
      from unnest(addresses)) as sent
    join unnest(planned_hosts) as host on host.index = sent.index
    left join lateral (
      select * from public.ip_addresses as known
      where known.organization_id = organization and known.live_host_id = host.id
        and known.address = sent.address and not host.is_new
      order by known.subnet_id is not distinct from sent.subnet_id desc, known.created_at, known.id
      limit 1) as stored on true
    where stored.id is not null or (sent.index, sent.position) not in (
      select raised.index, raised.position from unnest(issues) as raised
      where raised.kind = 'taken_address'));

  planned_ports := array(
    select (sent.index, sent.number || '/' || sent.protocol, host.id,
      coalesce(stored.id, gen_random_uuid()), stored.id is null,
      jsonb_build_object('number', sent.number, 'protocol', sent.protocol))::app.ingested_record
    from jsonb_to_recordset(report->'ports') as sent (index int, number int, protocol text)
    join unnest(planned_hosts) as host on host.index = sent.index
    left join public.ports as stored on stored.organization_id = organization
      and stored.live_host_id = host.id and stored.number = sent.number
      and stored.protocol = sent.protocol);

  -- A service is what its definition says, in its container.
  planned_services := array(
    select (sent.index, sent.service, host.id, coalesce(stored.id, gen_random_uuid()),
      stored.id is null,
      case when stored.id is null
        then jsonb_strip_nulls(jsonb_build_object('name', sent.name,
          'service_definition', sent.definition, 'virtualization', sent.virtualization))
        else nullif(
          case when sent.name <> stored.name and seen_at >= stored.last_seen_at
              and to_jsonb(stored.name) = stored.discovered->'name'
            then jsonb_build_object('name', sent.name) else '{}' end
          || case when sent.virtualization <> coalesce(stored.virtualization, '{}')
              and (stored.virtualization is null or (seen_at >= stored.last_seen_at
                and stored.virtualization = stored.discovered->'virtualization'))
            then jsonb_build_object('virtualization', sent.virtualization) else '{}' end, '{}') end
      )::app.ingested_record
    from jsonb_to_recordset(report->'services')
      as sent (index int, service int, name text, definition text, container text, virtualization jsonb)
    join unnest(planned_hosts) as host on host.index = sent.index
    left join lateral (
      select * from public.services as known
      where known.organization_id = organization and known.live_host_id = host.id
        and known.service_definition = sent.definition and not host.is_new
        and coalesce(known.virtualization #>> '{details,container_name}',
          known.virtualization #>> '{details,container_id}') is not distinct from sent.container
      order by known.name = sent.name desc, known.created_at, known.id limit 1) as stored on true);

  -- Bindings. One that is stored covers the same one of the report, and any on an address that it is
  -- also on. Ports that no service claims are taken over by one that does; else the service that has a
  -- port keeps it.
  planned_bindings := array(
    select (sent.index, sent.position, host.id, service.key, service.id,
      service.is_unclaimed, sent.type, port.id, address.id,
      case
        when standing.is_own then 'covered'
        when standing.in_the_way is not null then 'dropped'
        when standing.taken_over is not null then 'taken_over'
        else 'new' end,
      standing.taken_over, standing.in_the_way)::app.ingested_binding
    from jsonb_to_recordset(report->'bindings')
      as sent (index int, position int, service int, type text, number int, protocol text, ip inet)
    join unnest(planned_hosts) as host on host.index = sent.index
    join (
      select planned.*, coalesce(planned.changes->>'service_definition', known.service_definition)
        in ('Unclaimed Open Ports', 'Open Ports') as is_unclaimed,
        exists (
          select from public.bindings as bound
          where bound.organization_id = organization and bound.live_service_id = planned.id
            and bound.type = 'IPAddress') as has_addresses
      from unnest(planned_services) as planned
      left join public.services as known on known.organization_id = organization
        and known.id = planned.id) as service
      on service.index = sent.index and service.key = sent.service::text
    left join unnest(planned_ports) as port
      on port.index = sent.index and port.key = sent.number || '/' || sent.protocol
    left join unnest(planned_addresses) as address
      on address.index = sent.index and address.key = sent.ip::text
    left join lateral (
      select bool_or(other.service_id = service.id and other.type = sent.type) as is_own,
        (array_agg(other.id order by other.created_at, other.id) filter (
          where not (other.service_id = service.id and other.type = sent.type)
            and not other.is_free))[1] as in_the_way,
        (array_agg(other.id order by other.created_at, other.id) filter (
          where other.service_id <> service.id and other.is_free))[1] as taken_over
      from (
        select known.*, known.type = 'Port' and not service.is_unclaimed
          and known.first_discovery_id is not null and holder.service_definition
            in ('Unclaimed Open Ports', 'Open Ports') as is_free
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
      where not host.is_new
        and (other.ip_address_id is null or address.id is null or other.ip_address_id = address.id)
      ) as standing on true
    -- A binding to an address that another host has goes with it.
    where sent.ip is null or address.id is not null);
  -- What one binding takes over, no other of the report can.
  planned_bindings := array(
    select (planned.index, planned.position, planned.host_id, planned.service_key,
      planned.service_id, planned.is_unclaimed, planned.type, planned.port_id,
      planned.ip_address_id,
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
  issues := issues || array(
    select (planned.index, 'binding_conflict', planned.position, planned.other_id)::app.ingested_issue
    from unnest(planned_bindings) as planned
    where planned.fate = 'dropped' and not planned.is_unclaimed);
  -- A service that keeps none of its bindings is not there.
  planned_services := array(
    select planned::app.ingested_record from unnest(planned_services) as planned
    where not planned.is_new
      or planned.id in (
        select own.service_id from unnest(planned_bindings) as own where own.fate <> 'dropped')
      or (planned.index, planned.key) not in (
        select sent.index, sent.service::text
        from jsonb_to_recordset(report->'bindings') as sent (index int, service int)));

  -- Seen again: what stands on a port that is open, whatever the report takes it for.
  seen_bindings := array(
    select known.id
    from unnest(planned_bindings) as planned
    join public.bindings as known on known.organization_id = organization
      and known.live_port_id = planned.port_id
    where known.ip_address_id is null or planned.ip_address_id is null
      or known.ip_address_id = planned.ip_address_id
    union
    select known.id
    from unnest(planned_bindings) as planned
    join public.bindings as known on known.organization_id = organization
      and known.live_ip_address_id = planned.ip_address_id
    where known.service_id = planned.service_id and known.type = 'IPAddress'
      and planned.type = 'IPAddress');

  -- Absence: a port that was looked at and is not open ends what discovery bound to it. What was seen
  -- after the report was made stays.
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
      and port.id <> all (open_ports));

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
    join public.bindings as ended on ended.organization_id = organization
      and ended.live_host_id = host.id
    where ended.id = any (ended_bindings));

  -- Triggers run for every row that is written, and must not be planned for each.
  perform set_config('plan_cache_mode', 'auto', true);
  if not dry_run then
    perform app.write_ingested(network, discovery, source_type, seen_at, subnets, planned_hosts,
      planned_addresses, planned_ports, planned_services, planned_bindings, seen_bindings,
      ended_bindings);
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
--> statement-breakpoint

-- Foreign keys look hosts up by organization, network and id. A planner that knows nothing of the
-- table, or takes the first two for independent, reads all hosts of the network for each row.
create statistics hosts_of_networks (dependencies) on organization_id, network_id from hosts;
--> statement-breakpoint
create function app.refresh_statistics(grown name, added integer) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  -- Only for a large report that at least doubles the table; the rest is for autovacuum, which comes
  -- too late for a report that follows at once.
  if added >= 100
    and grown in ('hosts', 'ip_addresses', 'ports', 'services', 'bindings')
    and added > (select reltuples from pg_class where oid = ('public.' || grown)::regclass)
  then
    execute format('analyze (skip_locked) public.%I', grown);
  end if;
end
$$;
--> statement-breakpoint

-- Writes what app.ingest has decided: parents before what refers to them. A record that is seen again
-- at a later time is written once, with what changes of it.
create function app.write_ingested(
  network uuid, discovery uuid, source_type text, seen_at timestamptz,
  subnets app.ingested_record[], planned_hosts app.ingested_record[],
  planned_addresses app.ingested_record[], planned_ports app.ingested_record[],
  planned_services app.ingested_record[], planned_bindings app.ingested_binding[],
  seen_bindings uuid[], ended_bindings uuid[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  added integer;
begin
  insert into public.subnets (organization_id, network_id, id, cidr, name, description, subnet_type,
    source, last_seen_at, first_discovery_id, last_discovery_id)
  select organization, network, planned.id, planned.key::cidr, planned.changes->>'name',
    planned.changes->>'description', planned.changes->>'subnet_type', source_type, seen_at,
    discovery, discovery
  from unnest(subnets) as planned where planned.is_new;
  update public.subnets as known set last_seen_at = seen_at, last_discovery_id = discovery
  from unnest(subnets) as planned
  where known.organization_id = organization and known.id = planned.id
    and known.last_seen_at < seen_at;

  insert into public.hosts (organization_id, network_id, id, name, hostname, description,
    virtualization, sys_name, sys_descr, sys_object_id, sys_location, sys_contact, management_url,
    chassis_id, manufacturer, model, serial_number, source, discovered, last_seen_at,
    first_discovery_id, last_discovery_id)
  select organization, network, planned.id, said.name, said.hostname, said.description,
    said.virtualization, said.sys_name, said.sys_descr, said.sys_object_id, said.sys_location,
    said.sys_contact, said.management_url, said.chassis_id, said.manufacturer, said.model,
    said.serial_number, source_type, planned.changes, seen_at, discovery, discovery
  from unnest(planned_hosts) as planned
  cross join lateral jsonb_populate_record(null::public.hosts, planned.changes) as said
  where planned.is_new;
  get diagnostics added = row_count;
  perform app.refresh_statistics('hosts', added);
  -- What checks the rows below was perhaps planned when the tables were empty, and any index would do.
  discard plans;
  update public.hosts as known set
    name = coalesce(said.name, known.name),
    hostname = coalesce(said.hostname, known.hostname),
    description = coalesce(said.description, known.description),
    virtualization = coalesce(said.virtualization, known.virtualization),
    sys_name = coalesce(said.sys_name, known.sys_name),
    sys_descr = coalesce(said.sys_descr, known.sys_descr),
    sys_object_id = coalesce(said.sys_object_id, known.sys_object_id),
    sys_location = coalesce(said.sys_location, known.sys_location),
    sys_contact = coalesce(said.sys_contact, known.sys_contact),
    management_url = coalesce(said.management_url, known.management_url),
    chassis_id = coalesce(said.chassis_id, known.chassis_id),
    manufacturer = coalesce(said.manufacturer, known.manufacturer),
    model = coalesce(said.model, known.model),
    serial_number = coalesce(said.serial_number, known.serial_number),
    discovered = case when planned.changes is null then known.discovered
      else coalesce(known.discovered, '{}') || planned.changes end,
    last_seen_at = greatest(known.last_seen_at, seen_at),
    last_discovery_id = case when known.last_seen_at < seen_at then discovery
      else known.last_discovery_id end
  from unnest(planned_hosts) as planned
  cross join lateral jsonb_populate_record(null::public.hosts, planned.changes) as said
  where known.organization_id = organization and known.id = planned.id
    and not planned.is_new and (planned.changes is not null or known.last_seen_at < seen_at);

  insert into public.ip_addresses (organization_id, network_id, id, host_id, address, mac_address,
    subnet_id, discovered, last_seen_at, first_discovery_id, last_discovery_id)
  select organization, network, planned.id, planned.host_id, planned.key::inet,
    (planned.changes->>'mac_address')::macaddr, (planned.changes->>'subnet_id')::uuid,
    planned.changes, seen_at, discovery, discovery
  from unnest(planned_addresses) as planned where planned.is_new;
  get diagnostics added = row_count;
  perform app.refresh_statistics('ip_addresses', added);
  update public.ip_addresses as known set
    mac_address = coalesce((planned.changes->>'mac_address')::macaddr, known.mac_address),
    subnet_id = coalesce((planned.changes->>'subnet_id')::uuid, known.subnet_id),
    discovered = case when planned.changes is null then known.discovered
      else coalesce(known.discovered, '{}') || planned.changes end,
    last_seen_at = greatest(known.last_seen_at, seen_at),
    last_discovery_id = case when known.last_seen_at < seen_at then discovery
      else known.last_discovery_id end
  from unnest(planned_addresses) as planned
  where known.organization_id = organization and known.id = planned.id
    and not planned.is_new and (planned.changes is not null or known.last_seen_at < seen_at);

  insert into public.ports (organization_id, network_id, id, host_id, number, protocol, last_seen_at,
    first_discovery_id, last_discovery_id)
  select organization, network, planned.id, planned.host_id, (planned.changes->>'number')::int,
    planned.changes->>'protocol', seen_at, discovery, discovery
  from unnest(planned_ports) as planned where planned.is_new;
  get diagnostics added = row_count;
  perform app.refresh_statistics('ports', added);
  update public.ports as known set last_seen_at = seen_at, last_discovery_id = discovery
  from unnest(planned_ports) as planned
  where known.organization_id = organization and known.id = planned.id
    and not planned.is_new and known.last_seen_at < seen_at;

  insert into public.services (organization_id, network_id, id, host_id, name, service_definition,
    virtualization, source, discovered, last_seen_at, first_discovery_id, last_discovery_id)
  select organization, network, planned.id, planned.host_id, planned.changes->>'name',
    planned.changes->>'service_definition', planned.changes->'virtualization', source_type,
    planned.changes, seen_at, discovery, discovery
  from unnest(planned_services) as planned where planned.is_new;
  get diagnostics added = row_count;
  perform app.refresh_statistics('services', added);
  -- Also those that the report takes for something else, by what is seen of them.
  update public.services as known set
    name = coalesce(planned.changes->>'name', known.name),
    virtualization = coalesce(planned.changes->'virtualization', known.virtualization),
    discovered = case when planned.changes is null then known.discovered
      else coalesce(known.discovered, '{}') || planned.changes end,
    last_seen_at = greatest(known.last_seen_at, seen_at),
    last_discovery_id = case when known.last_seen_at < seen_at then discovery
      else known.last_discovery_id end
  from (
    select planned.id, planned.changes from unnest(planned_services) as planned
    where not planned.is_new
    union all
    select distinct seen.service_id, null::jsonb from public.bindings as seen
    where seen.organization_id = organization and seen.id = any (seen_bindings)
      and not exists (
        select from unnest(planned_services) as planned where planned.id = seen.service_id)
    ) as planned
  where known.organization_id = organization and known.id = planned.id
    and (planned.changes is not null or known.last_seen_at < seen_at);

  delete from public.bindings as known
  where known.organization_id = organization and known.id = any (ended_bindings);
  update public.bindings as known set
    service_id = coalesce(planned.service_id, known.service_id),
    last_seen_at = greatest(known.last_seen_at, seen_at),
    last_discovery_id = case when known.last_seen_at < seen_at then discovery
      else known.last_discovery_id end
  from (
    select seen.id, taken.service_id from unnest(seen_bindings) as seen (id)
    left join unnest(planned_bindings) as taken
      on taken.taken_id = seen.id and taken.fate = 'taken_over') as planned
  where known.organization_id = organization and known.id = planned.id
    and (planned.service_id is not null or known.last_seen_at < seen_at);
  insert into public.bindings (organization_id, network_id, host_id, service_id, type, port_id,
    ip_address_id, last_seen_at, first_discovery_id, last_discovery_id)
  select organization, network, planned.host_id, planned.service_id, planned.type, planned.port_id,
    planned.ip_address_id, seen_at, discovery, discovery
  from unnest(planned_bindings) as planned where planned.fate = 'new';
  get diagnostics added = row_count;
  perform app.refresh_statistics('bindings', added);

  if source_type = 'Import' then
    perform app.reach_discovery_milestone();
  end if;
end
$$;
--> statement-breakpoint

-- An import is a discovery that is complete; of a scan, its last progress says so.
create function app.reach_discovery_milestone() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.reach_milestone(app.organization_id(), 'FirstDiscoveryCompleted');
end
$$;
--> statement-breakpoint
grant execute on function app.refresh_statistics(name, integer), app.is_shared_mac(macaddr), app.is_loopback(inet),
  app.ingest(uuid, uuid, text, jsonb, boolean),
  app.write_ingested(uuid, uuid, text, timestamptz, app.ingested_record[], app.ingested_record[],
    app.ingested_record[], app.ingested_record[], app.ingested_record[], app.ingested_binding[],
    uuid[], uuid[]),
  app.reach_discovery_milestone() to inventory_api;
