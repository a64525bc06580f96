-- What one organization may add to its history in a day: every version stays for ever.
--
-- The most versions of records of the inventory that one organization begins in 24 hours.
create or replace function app.maximum_versions_of_day() returns bigint
language sql immutable parallel safe
return 1000000;
