-- True if a host last seen at `last_seen_at` is stale (section 9 of the API contract), based on the number of hours
-- configured for its network. If that number is null, a host is never stale.
create or replace function app.is_stale(last_seen_at timestamptz, stale_after_hours integer) returns boolean
language sql stable parallel safe
return coalesce(last_seen_at < now() - make_interval(hours => stale_after_hours), false);

grant execute on function app.is_stale to inventory_api;
