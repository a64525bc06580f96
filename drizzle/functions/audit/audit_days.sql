-- For how many days the audit log of an organization is kept that keeps its history for so many; null for ever.
create or replace function app.audit_days(history_days integer) returns integer
language sql immutable parallel safe
return greatest(400, history_days);
