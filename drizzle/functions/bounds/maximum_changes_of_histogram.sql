-- Maximum number of changes that a histogram counts.
create or replace function app.maximum_changes_of_histogram() returns integer
language sql immutable parallel safe
return 1000000;

grant execute on function app.maximum_changes_of_histogram() to inventory_api;
