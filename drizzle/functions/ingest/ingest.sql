-- Ingests a report of any size for one network, in the order of section 10 of the API contract: matching, merging,
-- absence. First it decides everything from the stored and locked records, then it writes. A dry run stops before
-- writing. Records that exceed a host's maximum are left out, with an issue.
--
-- Stored records are looked up by an index for each row of the report: `cross join lateral (... offset 0)` prevents
-- Postgres from starting with the stored records, for which it may not have any statistics yet. In such a look-up the
-- organization is a sub-select, whose value is unknown to the planner. Otherwise an organization that is missing from
-- the statistics would seem to have one row, for which any index would do.
--
-- `report` (src/discovery/ingest/parameter.ts): `observed_at`, `subnets`, `hosts`, `addresses`, `has_zones` (true if
-- any address has a zone), `ports`, `interfaces`, `complete_interfaces` (the indexes of the hosts whose whole tables
-- are in `interfaces`), `neighbors`, `services`, `bindings`, `own_data`, `scans`. Returns `hosts`, `issues` and `subnets`
-- (src/discovery/ingest/result.ts).
--
-- `only_host`: the only host that the report may change; null for all hosts. Reported hosts that do not match it get the
-- issue `other_host`. The host does not take an address from another host, and no subnet is created or seen.
create or replace function app.ingest(
  network uuid, discovery uuid, source_type text, report jsonb, dry_run boolean, only_host uuid default null)
returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  context app.ingest_context;
  changed_at timestamptz;
  subnets app.ingested_record[];
  hosts app.ingested_host[];
  ports app.reported_port[];
  interfaces app.reported_interface[];
  neighbors app.reported_neighbor[];
  services app.reported_service[];
  bindings app.reported_binding[];
  addresses app.ingested_address[];
  pairs app.ingested_pair[];
  matched app.ingested_match[];
  moving app.ingested_pair[];
  moved_addresses uuid[];
  superseded uuid[];
  failed int[];
  issues app.ingested_issue[];
  left_out app.ingested_issue[];
  planned_hosts app.ingested_record[];
  planned_addresses app.ingested_record[];
  planned_ports app.ingested_record[];
  planned_interfaces app.ingested_record[];
  ended_interfaces uuid[];
  planned_neighbors app.ingested_record[] := '{}';
  ended_neighbors uuid[] := '{}';
  contested uuid[];
  planned_services app.ingested_record[];
  planned_bindings app.ingested_binding[];
  ended_bindings uuid[];
  seen_bindings uuid[];
  emptied_services uuid[];
  changed int[];
  own_data jsonb := coalesce(report->'own_data', '[]');
  planned_own_data jsonb := '[]';
  has_zones boolean := coalesce((report->>'has_zones')::boolean, false);
begin
  -- Plans each statement for this report, since the plan for an earlier small report may not suit a large one.
  perform set_config('plan_cache_mode', 'force_custom_plan', true);
  if own_data <> '[]' then
    own_data := app.resolved_tags(own_data);
  end if;
  if not dry_run then
    -- The author of the changes: see app.record_transaction.
    perform set_config('app.import_id', case source_type when 'Import' then discovery::text else '' end, true);
    -- Reports for one network are ingested one after another.
    perform app.lock_records(network_ids => array[network], tag_ids => array(
      select tag.id::uuid from jsonb_to_recordset(own_data) as sent (tag_ids jsonb),
        jsonb_array_elements_text(sent.tag_ids) as tag (id)));
  end if;
  if not exists (
    select from public.networks as known
    where known.organization_id = app.organization_id() and known.id = network)
  then
    perform app.abort('entity_not_found', jsonb_build_object('entity', 'Network', 'id', network));
  end if;
  if not dry_run then
    perform app.lock_matching_hosts(network, report);
  end if;
  changed_at := coalesce(
    nullif(current_setting('app.changed_at', true), '')::timestamptz,
    date_trunc('milliseconds', clock_timestamp()));
  context := (app.organization_id(), network, discovery, app.visited_daemon(),
    least(coalesce((report->>'observed_at')::timestamptz, changed_at), changed_at),
    array(
      select daemon.id from public.daemons as daemon
      where daemon.organization_id = app.organization_id() and daemon.network_id = network
        and not daemon.is_unreachable));

  -- Reading the report.
  subnets := app.plan_subnets(context, report->'subnets');
  if only_host is not null then
    subnets := array(select planned from unnest(subnets) as planned where not planned.is_new);
  end if;
  hosts := array(
    select (sent.index, sent.id, sent.details, sent.ranks, sent.given_name, sent.fallback_name,
      scan.tcp, scan.udp)::app.ingested_host
    from jsonb_to_recordset(report->'hosts') as sent (
      index int, id uuid, details jsonb, ranks jsonb, given_name text, fallback_name text, scan int)
    left join jsonb_to_recordset(report->'scans')
      as scan (scan int, tcp int4multirange, udp int4multirange) on scan.scan = sent.scan);
  -- Postgres knows the number of members of an array, but assumes 100 for any set of JSON rows. A field that is missing
  -- from a row takes its value from the base record.
  addresses := app.place_addresses(context, array(
    select sent from jsonb_populate_recordset(null::app.reported_address, report->'addresses') as sent),
    subnets);
  ports := array(
    select sent from jsonb_populate_recordset((null, null, 'Tcp')::app.reported_port, report->'ports') as sent);
  interfaces := array(
    select sent from jsonb_populate_recordset(null::app.reported_interface, report->'interfaces') as sent);
  neighbors := array(
    select (sent.index, sent.if_index, sent.protocol,
      sent.chassis_subtype, app.announced_id(sent.chassis_subtype, sent.chassis_value),
      sent.port_subtype, app.announced_id(sent.port_subtype, sent.port_value),
      sent.system_name, sent.system_description, sent.port_description,
      array(select distinct member from unnest(sent.management_addresses) as member order by member)
    )::app.reported_neighbor
    from jsonb_populate_recordset(null::app.reported_neighbor, report->'neighbors') as sent);
  services := array(
    select (sent.index, sent.service, sent.name, coalesce(sent.definition, sent.name), sent.version, sent.container,
      sent.virtualization, sent.runner, sent.is_guess, sent.is_of_port, sent.is_protocol)::app.reported_service
    from jsonb_populate_recordset((null, null, null, null, null, null, null, null, false, false, false)::app.reported_service,
      report->'services') as sent);
  bindings := array(
    select sent from jsonb_populate_recordset((null, null, null, 'Port', null, 'Tcp', null)::app.reported_binding,
      report->'bindings') as sent);
  issues := app.contradictions(hosts, addresses) || app.link_contradictions(report->'addresses', addresses);
  failed := array(select distinct raised.index from unnest(issues) as raised);

  -- Matching.
  pairs := app.pair_addresses(context, addresses);
  if has_zones then
    pairs := app.on_same_link(context, report->'addresses', pairs);
  end if;
  matched := app.match_by_id(context, hosts, failed);
  if own_data <> '[]' then
    matched := app.match_by_external_id(context, own_data, failed, matched);
  end if;
  matched := app.match_by_address(context, pairs, failed, matched);
  matched := app.match_by_mac(context, addresses, pairs, failed, matched);
  moving := case when only_host is null then app.leaving_addresses(pairs, matched, failed) else '{}' end;
  issues := issues || app.taken_addresses(
    pairs, matched, failed, array(select leaving.address_id from unnest(moving) as leaving));
  failed := failed || array(
    select distinct raised.index from unnest(issues) as raised
    left join unnest(matched) as own on own.index = raised.index
    where own.index is null and raised.kind = 'taken_address');
  if only_host is not null then
    left_out := array(
      select (sent.index, 'other_host', null, only_host)::app.ingested_issue
      from unnest(hosts) as sent
      left join unnest(matched) as own on own.index = sent.index
      where own.host_id is distinct from only_host and sent.index <> all (failed));
    issues := issues || left_out;
    failed := failed || array(select raised.index from unnest(left_out) as raised);
  end if;
  moving := array(select leaving from unnest(moving) as leaving where leaving.index <> all (failed));
  moved_addresses := array(select leaving.address_id from unnest(moving) as leaving);

  -- Merging: parents before the records that reference them.
  planned_hosts := app.plan_hosts(context, hosts, addresses, matched, moved_addresses, failed);
  planned_addresses := app.plan_addresses(context, addresses, planned_hosts, moved_addresses, issues);
  if has_zones then
    planned_addresses := app.note_zones(report->'addresses', planned_addresses);
  end if;
  select kept.planned, kept.issues into planned_addresses, left_out
  from app.within_bounds('ip_addresses', app.hosts_of_new(planned_addresses), moved_addresses, planned_addresses) as kept;
  issues := issues || left_out;
  planned_ports := app.plan_ports(context, ports, planned_hosts);
  select kept.planned, kept.issues into planned_ports, left_out
  from app.within_bounds('ports', app.hosts_of_new(planned_ports), '{}', planned_ports) as kept;
  issues := issues || left_out;
  planned_interfaces := app.plan_interfaces(context, interfaces, planned_hosts, planned_addresses, moved_addresses);
  contested := app.contested_hosts(hosts, pairs, failed);
  ended_interfaces := app.absent_interfaces(context, array(
    select place::int from jsonb_array_elements_text(report->'complete_interfaces') as place),
    contested, planned_hosts, planned_interfaces, moved_addresses);
  select kept.planned, kept.issues into planned_interfaces, left_out
  from app.within_bounds('interfaces', app.hosts_of_new(planned_interfaces), ended_interfaces, planned_interfaces) as kept;
  issues := issues || left_out;
  if interfaces <> '{}' then
    planned_neighbors := app.plan_neighbors(context, neighbors, planned_hosts, planned_interfaces, moved_addresses);
    ended_neighbors := app.absent_neighbors(context, interfaces, contested, planned_hosts, planned_interfaces,
      ended_interfaces, planned_neighbors, moved_addresses);
    planned_neighbors := planned_neighbors || app.plan_neighbors(context,
      app.learned_neighbors(
        context, interfaces, addresses, planned_interfaces, planned_neighbors, ended_neighbors),
      planned_hosts, planned_interfaces, moved_addresses);
    ended_neighbors := ended_neighbors || app.superseded_neighbors(context, interfaces, contested, planned_hosts,
      planned_interfaces, planned_neighbors, moved_addresses);
    select kept.planned, kept.issues into planned_neighbors, left_out
    from app.within_bounds('neighbors', array(
      select case when planned.is_new then planned.key::uuid end from unnest(planned_neighbors) as planned),
      ended_neighbors, planned_neighbors, 'live_interface_id', app.maximum_neighbors_of_interface()) as kept;
    issues := issues || left_out;
    select kept.planned, kept.issues into planned_neighbors, left_out
    from app.within_bounds(
      'neighbors', app.hosts_of_new(planned_neighbors), ended_neighbors, planned_neighbors) as kept;
    issues := issues || left_out;
  end if;
  planned_services := app.plan_services(
    context, app.match_services(context, services, bindings, planned_hosts, planned_ports));
  select kept.planned, kept.issues into planned_services, left_out
  from app.within_bounds('services', app.hosts_of_new(planned_services), '{}', planned_services) as kept;
  issues := issues || left_out;

  -- Absence and the bindings, some of which replace stored bindings.
  ended_bindings := app.absent_bindings(context, hosts, planned_hosts, planned_ports, pairs, failed);
  if context.daemon_id is not null then
    superseded := app.superseded_bindings(
      context, bindings, planned_ports, planned_services);
  end if;
  planned_bindings := app.plan_bindings(context, services, bindings, hosts, planned_hosts,
    planned_addresses, planned_ports, planned_services, moved_addresses, ended_bindings, superseded);
  select kept.planned, kept.issues into planned_bindings, left_out
  from app.within_bounds('bindings', array(
    select case when planned.fate = 'new' then planned.host_id end
    from unnest(planned_bindings) as planned), ended_bindings, planned_bindings) as kept;
  issues := issues || left_out || array(
    select (planned.index, 'binding_conflict', planned.position, planned.other_id)::app.ingested_issue
    from unnest(planned_bindings) as planned
    where planned.fate = 'dropped' and not planned.is_unclaimed and not planned.is_guess);
  -- A service that keeps none of its bindings is neither stored nor merged into a stored service.
  planned_services := array(
    select planned::app.ingested_record from unnest(planned_services) as planned
    where planned.id in (
        select own.service_id from unnest(planned_bindings) as own where own.fate <> 'dropped')
      or (planned.index, planned.key) not in (
        select sent.index, sent.service::text
        from unnest(bindings) as sent));
  seen_bindings := app.seen_bindings(context, planned_bindings);
  emptied_services := app.emptied_services(context, planned_services, planned_bindings);
  changed := app.changed_hosts(context, planned_hosts, planned_addresses || planned_interfaces || planned_neighbors,
    planned_ports, planned_services, planned_bindings, moving, ended_bindings) || array(
    select host.index from unnest(planned_hosts) as host
    where host.id in (
      select ended.live_host_id from public.interfaces as ended
      where ended.organization_id = context.organization_id and ended.id = any (ended_interfaces)
      union
      select ended.live_host_id from public.neighbors as ended
      where ended.organization_id = context.organization_id and ended.id = any (ended_neighbors)));

  if own_data <> '[]' then
    left_out := app.taken_external_ids(context, own_data, failed, matched);
    issues := issues || left_out;
    planned_own_data := app.plan_own_data(
      context, own_data, planned_hosts, array(select raised.index from unnest(left_out) as raised));
    changed := changed || array(
      select host.index from jsonb_to_recordset(planned_own_data) as host (index int));
  end if;

  -- Triggers run for every written row, and must not be planned each time.
  perform set_config('plan_cache_mode', 'auto', true);
  if not dry_run then
    if only_host is null then
      perform app.write_subnets(context, source_type, subnets);
    end if;
    perform app.write_hosts(context, source_type, planned_hosts);
    -- The plans of foreign keys that reference hosts may date from a time when there were no hosts.
    discard plans;
    if planned_own_data <> '[]' then
      perform app.write_own_data(context, planned_own_data);
    end if;
    perform app.write_addresses(context, planned_addresses, moved_addresses);
    perform app.write_ports(context, planned_ports);
    perform app.write_interfaces(context, planned_interfaces, ended_interfaces);
    perform app.note_read_parts(context, interfaces, planned_interfaces);
    perform app.write_neighbors(context, source_type, planned_neighbors, ended_neighbors);
    perform app.write_services(context, source_type, planned_services, seen_bindings);
    perform app.write_bindings(
      context, planned_bindings, seen_bindings, ended_bindings, emptied_services);
    if source_type = 'Import' then
      perform app.reach_discovery_milestone();
    end if;
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

grant execute on function app.ingest to inventory_api;
