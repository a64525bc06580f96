-- Maximum number of inventory record versions that one organization can start in 24 hours. It limits the growth of the
-- organization's history.
create or replace function app.maximum_versions_of_day() returns bigint
language sql immutable parallel safe
return 1000000;
