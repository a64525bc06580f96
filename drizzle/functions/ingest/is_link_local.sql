-- True if an address is unique only on its link (RFC 4291, section 2.5.6; RFC 3927): on another link, another host may
-- have the same address.
create or replace function app.is_link_local(address inet) returns boolean
language sql immutable parallel safe
return address <<= inet 'fe80::/10' or address <<= inet '169.254.0.0/16';

grant execute on function app.is_link_local to inventory_api;
