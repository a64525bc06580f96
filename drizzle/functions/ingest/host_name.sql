-- The part of a string that is used as a host's name.
create or replace function app.host_name(text text) returns text
language sql immutable parallel safe
return rtrim(left(text, 100));

grant execute on function app.host_name to inventory_api;
