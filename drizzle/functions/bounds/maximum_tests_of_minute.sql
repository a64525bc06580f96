-- Maximum number of tests per webhook within 60 seconds.
create or replace function app.maximum_tests_of_minute() returns integer
language sql immutable parallel safe
return 10;
