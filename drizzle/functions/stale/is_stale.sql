-- Whether a host that was last seen at an instant is stale (section 9 of the API contract): its network says after how many
-- hours without a sighting it is. Null hours are never.
create or replace function app.is_stale(last_seen_at timestamptz, stale_after_hours integer) returns boolean
language sql stable parallel safe
return coalesce(last_seen_at < now() - make_interval(hours => stale_after_hours), false);

grant execute on function app.is_stale(timestamptz, integer) to inventory_api;
