-- Maximum number of live records of each kind on a host: addresses, ports, interfaces, services and bindings.
create or replace function app.maximum_of_host() returns integer
language sql immutable parallel safe
return 5000;

grant execute on function app.maximum_of_host to inventory_api;
