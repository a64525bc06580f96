-- The id that a device announces for its chassis or for a port, with an IP address in its canonical form.
create or replace function app.announced_id(subtype text, value text) returns text
language sql immutable parallel safe
return case subtype when 'NetworkAddress' then host(value::inet) else value end;

grant execute on function app.announced_id to inventory_api;
