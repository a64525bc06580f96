-- The number of days for which an organization's audit log is kept, given the number of days for which it keeps its
-- history.
create or replace function app.audit_days(history_days integer) returns integer
language sql immutable parallel safe
return greatest(400, history_days);
