-- True if an address or a whole block belongs to a host's loopback interface (RFC 1122, 3.2.1.3; RFC 4291, 2.5.3), even
-- in IPv4-mapped form (RFC 4291, 2.5.5.2). Because their bodies use standard SQL syntax, this function and
-- app.is_link_local are inlined into the queries that call them for each address.
create or replace function app.is_loopback(address inet) returns boolean
language sql immutable parallel safe
return address <<= inet '127.0.0.0/8' or address <<= inet '::1/128' or address <<= inet '::ffff:127.0.0.0/104';

grant execute on function app.is_loopback to inventory_api, inventory_poller;
