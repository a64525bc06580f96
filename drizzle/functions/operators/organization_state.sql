-- The state of an organization, as operators see it.
create or replace function app.organization_state(suspended_at timestamptz, deletes_at timestamptz) returns text
language sql immutable parallel safe
return case when deletes_at is not null then 'deleted' when suspended_at is not null then 'suspended' else 'active' end;
