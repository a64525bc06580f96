-- True if discovery guessed the service because it is the well-known service for its port, and nothing has replaced
-- that guess. Also true if the service has no evidence.
create or replace function app.is_guess(service public.services) returns boolean
language sql stable parallel safe
return (service).evidence #>> '{service_definition,rank}' is null
  and (service).first_discovery_id is not null
  and (service).virtualization is null
  and to_jsonb((service).service_definition) = (service).discovered->'service_definition'
  and not app.is_unclaimed((service).service_definition);

grant execute on function app.is_guess to inventory_api;
