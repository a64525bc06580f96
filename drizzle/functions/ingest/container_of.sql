-- The container in which a service runs. It distinguishes services with the same definition.
create or replace function app.container_of(virtualization jsonb) returns text
language sql immutable parallel safe
return coalesce(virtualization #>> '{details,container_name}', virtualization #>> '{details,container_id}');

grant execute on function app.container_of to inventory_api;
