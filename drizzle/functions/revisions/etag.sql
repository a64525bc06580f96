-- The entity tag of a record, quotes included (RFC 9110, 8.8.3): strong and opaque. The time of its
-- creation is in it, so that a record under the id of a deleted one never has a tag of that one. A body
-- that is an expression is inlined: every record of a page calls it.
create or replace function app.etag(created_at timestamptz, revision bigint) returns text
language sql immutable parallel safe
return '"' || to_hex((extract(epoch from created_at) * 1000)::bigint) || '-' || to_hex(revision) || '"';

grant execute on function app.etag(timestamptz, bigint) to inventory_api;
