-- What a report may say of a host beside its name.
create or replace function app.details_of(host public.hosts) returns jsonb
language sql stable parallel safe
return jsonb_build_object(
  'hostname', (host).hostname, 'description', (host).description,
  'virtualization', (host).virtualization, 'sys_name', (host).sys_name,
  'sys_descr', (host).sys_descr, 'sys_object_id', (host).sys_object_id,
  'sys_location', (host).sys_location, 'sys_contact', (host).sys_contact,
  'management_url', (host).management_url, 'chassis_id', (host).chassis_id,
  'manufacturer', (host).manufacturer, 'model', (host).model,
  'serial_number', (host).serial_number, 'operating_system', (host).operating_system);

grant execute on function app.details_of(hosts) to inventory_api;
