-- True if a name is only an address, with or without a zone.
create or replace function app.is_address(name text) returns boolean
language sql immutable parallel safe
return name ~* '^\d{1,3}(\.\d{1,3}){3}$'
  '|^[0-9a-f:.]*::[0-9a-f:.]*(%.*)?$'
  '|^([0-9a-f]{1,4}:){6}([0-9a-f]{1,4}:[0-9a-f]{1,4}|[0-9.]+)(%.*)?$';

grant execute on function app.is_address to inventory_api;
