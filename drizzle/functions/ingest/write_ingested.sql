-- Writes what app.ingest has decided: parents before what refers to them. A record that is seen again
-- at a later time is written once, with what changes of it.
create or replace function app.write_ingested(
  network uuid, discovery uuid, source_type text, seen_at timestamptz,
  subnets app.ingested_record[], planned_hosts app.ingested_record[],
  planned_addresses app.ingested_record[], moved_addresses uuid[], planned_ports app.ingested_record[],
  planned_services app.ingested_record[], planned_bindings app.ingested_binding[],
  seen_bindings uuid[], ended_bindings uuid[], emptied_services uuid[])
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
    chassis_id, manufacturer, model, serial_number, operating_system, source, discovered, evidence,
    last_seen_at, first_discovery_id, last_discovery_id)
  select organization, network, planned.id, said.name, said.hostname, said.description,
    said.virtualization, said.sys_name, said.sys_descr, said.sys_object_id, said.sys_location,
    said.sys_contact, said.management_url, said.chassis_id, said.manufacturer, said.model,
    said.serial_number, said.operating_system, source_type, planned.changes, planned.evidence, seen_at,
    discovery, discovery
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
    operating_system = coalesce(said.operating_system, known.operating_system),
    discovered = case when planned.changes is null then known.discovered
      else coalesce(known.discovered, '{}') || planned.changes end,
    evidence = case when planned.evidence is null then known.evidence
      else coalesce(known.evidence, '{}') || planned.evidence end,
    last_seen_at = greatest(known.last_seen_at, seen_at),
    last_discovery_id = case when known.last_seen_at < seen_at then discovery
      else known.last_discovery_id end
  from unnest(planned_hosts) as planned
  cross join lateral jsonb_populate_record(null::public.hosts, planned.changes) as said
  where known.organization_id = organization and known.id = planned.id
    and not planned.is_new and (planned.changes is not null or planned.evidence is not null
      or known.last_seen_at < seen_at);

  delete from public.ip_addresses as known
  where known.organization_id = organization and known.id = any (moved_addresses);
  insert into public.ip_addresses (organization_id, network_id, id, host_id, address, mac_address, name,
    subnet_id, discovered, evidence, last_seen_at, first_discovery_id, last_discovery_id)
  select organization, network, planned.id, planned.host_id, planned.key::inet,
    (planned.changes->>'mac_address')::macaddr, planned.changes->>'name',
    (planned.changes->>'subnet_id')::uuid, planned.changes, planned.evidence, seen_at, discovery,
    discovery
  from unnest(planned_addresses) as planned where planned.is_new;
  get diagnostics added = row_count;
  perform app.refresh_statistics('ip_addresses', added);
  update public.ip_addresses as known set
    mac_address = coalesce((planned.changes->>'mac_address')::macaddr, known.mac_address),
    name = coalesce(planned.changes->>'name', known.name),
    subnet_id = coalesce((planned.changes->>'subnet_id')::uuid, known.subnet_id),
    discovered = case when planned.changes is null then known.discovered
      else coalesce(known.discovered, '{}') || planned.changes end,
    evidence = case when planned.evidence is null then known.evidence
      else coalesce(known.evidence, '{}') || planned.evidence end,
    last_seen_at = greatest(known.last_seen_at, seen_at),
    last_discovery_id = case when known.last_seen_at < seen_at then discovery
      else known.last_discovery_id end
  from unnest(planned_addresses) as planned
  where known.organization_id = organization and known.id = planned.id
    and not planned.is_new and (planned.changes is not null or planned.evidence is not null
      or known.last_seen_at < seen_at);

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
    version, virtualization, source, discovered, evidence, last_seen_at, first_discovery_id,
    last_discovery_id)
  select organization, network, planned.id, planned.host_id, planned.changes->>'name',
    planned.changes->>'service_definition', planned.changes->>'version',
    planned.changes->'virtualization', source_type, planned.changes, planned.evidence, seen_at,
    discovery, discovery
  from unnest(planned_services) as planned where planned.is_new;
  get diagnostics added = row_count;
  perform app.refresh_statistics('services', added);
  -- Also those that the report takes for something else, by what is seen of them.
  update public.services as known set
    name = coalesce(planned.changes->>'name', known.name),
    service_definition = coalesce(planned.changes->>'service_definition', known.service_definition),
    version = coalesce(planned.changes->>'version', known.version),
    virtualization = coalesce(planned.changes->'virtualization', known.virtualization),
    discovered = case when planned.changes is null then known.discovered
      else coalesce(known.discovered, '{}') || planned.changes end,
    evidence = case when planned.evidence is null then known.evidence
      else coalesce(known.evidence, '{}') || planned.evidence end,
    last_seen_at = greatest(known.last_seen_at, seen_at),
    last_discovery_id = case when known.last_seen_at < seen_at then discovery
      else known.last_discovery_id end
  from (
    -- Of several ports of one stored service, the first speaks.
    (select distinct on (planned.id) planned.id, planned.changes, planned.evidence
    from unnest(planned_services) as planned where not planned.is_new
    order by planned.id, planned.key::int)
    union all
    select distinct seen.service_id, null::jsonb, null::jsonb from public.bindings as seen
    where seen.organization_id = organization and seen.id = any (seen_bindings)
      and not exists (
        select from unnest(planned_services) as planned where planned.id = seen.service_id)
    ) as planned
  where known.organization_id = organization and known.id = planned.id
    and (planned.changes is not null or planned.evidence is not null
      or known.last_seen_at < seen_at);

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
  delete from public.services as known
  where known.organization_id = organization and known.id = any (emptied_services)
    and not exists (
      select from public.bindings as bound
      where bound.organization_id = organization and bound.live_service_id = known.id)
    and not exists (
      select from public.service_tags as tagged
      where tagged.organization_id = organization and tagged.service_id = known.id);
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

grant execute on function app.write_ingested(uuid, uuid, text, timestamptz, app.ingested_record[], app.ingested_record[], app.ingested_record[], uuid[], app.ingested_record[], app.ingested_record[], app.ingested_binding[], uuid[], uuid[], uuid[]) to inventory_api;
