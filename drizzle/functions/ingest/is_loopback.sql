-- With a body of standard SQL these two become part of the queries that call them, for each address.
create or replace function app.is_loopback(address inet) returns boolean
language sql immutable parallel safe
return address <<= inet '127.0.0.0/8' or address = inet '::1';

grant execute on function app.is_loopback(inet) to inventory_api;
