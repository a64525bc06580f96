-- Maximum number of versions that a comparison of two instants may read.
create or replace function app.maximum_versions_of_diff() returns integer
language sql immutable parallel safe
return 1000000;

grant execute on function app.maximum_versions_of_diff to inventory_api;
