-- The entity tag of a record, quotes included (RFC 9110, 8.8.3): strong and opaque. The time of its
-- creation is in it, so that a record under the id of a deleted one never has a tag of that one. Every
-- record of a page has one: an expression that Postgres inlines, which it does only while this is no more
-- immutable than date_part.
create or replace function app.etag(created_at timestamptz, revision bigint) returns text
language sql stable parallel safe
return '"' || to_hex((date_part('epoch', created_at) * 1000)::bigint) || '-' || to_hex(revision) || '"';

grant execute on function app.etag(timestamptz, bigint) to inventory_api;
