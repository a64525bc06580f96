-- True for the definitions that stand for ports that no service claims.
create or replace function app.is_unclaimed(definition text) returns boolean
language sql immutable parallel safe
return definition in ('Unclaimed Open Ports', 'Open Ports');

grant execute on function app.is_unclaimed to inventory_api;
