-- The entity tag of a record, quotes included (RFC 9110, 8.8.3): strong and opaque. It contains the creation time, so
-- that a record that reuses a deleted record's id never has one of the deleted record's tags. Every record on a page
-- has a tag, so this is an expression that Postgres can inline. Postgres does so only if the function is not declared
-- with a stricter volatility than date_part's.
create or replace function app.etag(created_at timestamptz, revision bigint) returns text
language sql stable parallel safe
return '"' || to_hex((date_part('epoch', created_at) * 1000)::bigint) || '-' || to_hex(revision) || '"';

grant execute on function app.etag to inventory_api;
