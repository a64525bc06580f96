-- Maximum number of versions of inventory records that one organization begins in 24 hours. It bounds the growth of the
-- organization's history.
create or replace function app.maximum_versions_of_day() returns bigint
language sql immutable parallel safe
return 1000000;
