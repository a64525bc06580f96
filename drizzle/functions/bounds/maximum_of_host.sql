-- Maximum number of live addresses, ports, interfaces, services and bindings, each, of a host.
create or replace function app.maximum_of_host() returns integer
language sql immutable parallel safe
return 5000;

grant execute on function app.maximum_of_host() to inventory_api;
