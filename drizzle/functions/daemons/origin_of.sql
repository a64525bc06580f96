-- The origin of a stored URL in the URL standard's format: in lower case and without the scheme's default port. Not
-- every stored URL has that format.
create or replace function app.origin_of(url text) returns text
language sql immutable parallel safe
return regexp_replace(regexp_replace(lower(substring(url from '^[^:]+://[^/?#]+')),
  '^(https://.*):443$', '\1'), '^(http://.*):80$', '\1');

grant execute on function app.origin_of to inventory_api;
