-- Maximum number of audit log entries that one organization can write in 24 hours by creating and changing records.
create or replace function app.maximum_audit_entries_of_day() returns bigint
language sql immutable parallel safe
return 1000000;
