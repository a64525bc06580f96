-- The kinds of records with history, in the order of changes, with what is read of each. `fields` are those that
-- begin a version, as callers see them; `label` is what a person calls it; `is_same` compares the natural key of
-- two versions, `version` and `other`.
create or replace function app.change_kinds()
returns table (entity text, relation text, host_id text, fields text, label text, is_same text)
language sql immutable set search_path = pg_catalog, pg_temp as $$
  values
    ('Binding', 'bindings', 'version.host_id',
      'version.type, version.service_id, version.port_id, version.ip_address_id',
      'app.label_of_binding(version.service_id, version.port_id, version.ip_address_id,
        case when version.valid_to = key.at then key.at - interval ''1 millisecond'' else key.at end)',
      'other.service_id = version.service_id
        and other.port_id is not distinct from version.port_id
        and other.ip_address_id is not distinct from version.ip_address_id'),
    ('Host', 'hosts', 'version.live_id',
      'version.name, version.hostname, version.description,
        json_build_object(''type'', version.source) as source, version.virtualization,
        version.sys_name, version.sys_descr, version.sys_object_id, version.sys_location,
        version.sys_contact, version.management_url, version.chassis_id, version.manufacturer,
        version.model, version.serial_number, version.operating_system',
      'version.name',
      'other.live_id = version.live_id'),
    ('IPAddress', 'ip_addresses', 'version.host_id',
      'version.host_id, version.subnet_id, host(version.address) as ip_address,
        upper(version.mac_address::text) as mac_address, version.name',
      'host(version.address)',
      'other.host_id = version.host_id and other.address = version.address
        and other.subnet_id is not distinct from version.subnet_id'),
    ('Interface', 'interfaces', 'version.host_id',
      'version.host_id, version.if_index, version.name, version.description, version.type,
        version.speed_bps, upper(version.mac_address::text) as mac_address, version.admin_status,
        version.oper_status, version.ip_address_ids',
      'coalesce(version.name, version.if_index::text)',
      'other.host_id = version.host_id and other.if_index = version.if_index'),
    ('Port', 'ports', 'version.host_id',
      'version.host_id, version.number, version.protocol',
      'version.number || ''/'' || version.protocol',
      'other.host_id = version.host_id and other.number = version.number
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
