-- True for the service definitions that represent unclaimed ports.
create or replace function app.is_unclaimed(definition text) returns boolean
language sql immutable parallel safe
return definition in ('Unclaimed Open Ports', 'Open Ports');

grant execute on function app.is_unclaimed to inventory_api;
