-- The fields of an interface in the format that app.fillable takes. An empty set of addresses is treated as absent.
create or replace function app.details_of_interface(
  name text, description text, type integer, speed_bps bigint, mac_address macaddr, admin_status text,
  oper_status text, ip_address_ids uuid[])
returns jsonb
language sql immutable parallel safe
return jsonb_build_object(
  'name', name, 'description', description, 'type', type, 'speed_bps', speed_bps,
  'mac_address', mac_address, 'admin_status', admin_status, 'oper_status', oper_status,
  'ip_address_ids', nullif(to_jsonb(ip_address_ids), '[]'));

grant execute on function app.details_of_interface(text, text, integer, bigint, macaddr, text, text, uuid[]) to inventory_api;
