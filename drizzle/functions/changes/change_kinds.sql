-- The kinds of records with history, in the order of changes, with what is read of each. `host_id` is the host that a
-- version belonged to, a format of the instant: a binding goes with its service to another host, which begins no
-- version of it. `fields` are those that begin a version, as callers see them; `label` is what a person calls it, a
-- format of the instant; `is_same` compares the natural key of two versions, `version` and `other`: but for what leads
-- to few of them, in a form for which no index is read.
create or replace function app.change_kinds()
returns table (entity text, relation text, host_id text, fields text, label text, is_same text)
language sql immutable set search_path = pg_catalog, pg_temp as $$
  values
    ('Binding', 'bindings', '(
        select known.host_id from public.services as known
        where known.live_id = version.service_id and known.valid_from <= %1$s
          and case when known.valid_to is null then ''infinity''::timestamptz else known.valid_to end > %1$s
        limit 1)',
      'version.type, version.service_id, version.port_id, version.ip_address_id',
      'concat_ws('' '', (
          select known.name from public.services as known
          where known.live_id = version.service_id and known.valid_from <= %1$s
            and case when known.valid_to is null then ''infinity''::timestamptz else known.valid_to end > %1$s
          limit 1), (
          select known.number || ''/'' || known.protocol from public.ports as known
          where known.live_id = version.port_id and known.valid_from <= %1$s
            and case when known.valid_to is null then ''infinity''::timestamptz else known.valid_to end > %1$s
          limit 1), (
          select host(known.address) from public.ip_addresses as known
          where known.live_id = version.ip_address_id and known.valid_from <= %1$s
            and case when known.valid_to is null then ''infinity''::timestamptz else known.valid_to end > %1$s
          limit 1))',
      'other.service_id = version.service_id
        and other.port_id is not distinct from version.port_id
        and other.ip_address_id is not distinct from version.ip_address_id'),
    ('Host', 'hosts', 'version.live_id',
      'version.name, version.hostname, version.description,
        json_build_object(''type'', version.source) as source, version.virtualization,
        version.sys_name, version.sys_descr, version.sys_object_id, version.sys_location,
        version.sys_contact, version.management_url, version.chassis_id, version.manufacturer,
        version.model, version.serial_number, version.operating_system, version.is_stale',
      'version.name',
      'other.live_id = version.live_id'),
    ('IPAddress', 'ip_addresses', 'version.host_id',
      'version.host_id, version.subnet_id, host(version.address) as ip_address,
        upper(version.mac_address::text) as mac_address, version.name',
      'host(version.address)',
      'other.host_id = version.host_id and other.address is not distinct from version.address
        and other.subnet_id is not distinct from version.subnet_id'),
    ('Interface', 'interfaces', 'version.host_id',
      'version.host_id, version.if_index, version.name, version.description, version.type,
        version.speed_bps, upper(version.mac_address::text) as mac_address, version.admin_status,
        version.oper_status, version.ip_address_ids',
      'coalesce(version.name, version.if_index::text)',
      'other.host_id = version.host_id and other.if_index is not distinct from version.if_index'),
    ('Port', 'ports', 'version.host_id',
      'version.host_id, version.number, version.protocol',
      'version.number || ''/'' || version.protocol',
      'other.host_id = version.host_id and other.number is not distinct from version.number
        and other.protocol = version.protocol'),
    ('Service', 'services', 'version.host_id',
      'version.host_id, version.name, version.service_definition, version.version,
        version.virtualization, json_build_object(''type'', version.source) as source',
      'version.name',
      'other.host_id = version.host_id and other.service_definition = version.service_definition
        and other.name = version.name'),
    ('Subnet', 'subnets', 'null::uuid',
      'version.cidr::text as cidr, version.name, version.description, version.subnet_type,
        json_build_object(''type'', version.source) as source',
      'version.name',
      'other.network_id = version.network_id and other.cidr = version.cidr')
$$;

grant execute on function app.change_kinds() to inventory_api;
