-- Prevents every role from moving a scan back to an earlier phase, and from changing a scan that has ended, except for
-- settled_at.
create or replace function app.keep_session_forward() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  phases constant text[] := array['Queued', 'Pending', 'Starting', 'Started', 'Scanning',
    'Complete', 'Failed', 'Cancelled'];
begin
  if old.finished_at is not null and (old.settled_at is not null
    or to_jsonb(new) - 'settled_at' <> to_jsonb(old) - 'settled_at')
  then
    raise exception 'a scan that has ended does not change' using errcode = 'restrict_violation';
  end if;
  if array_position(phases, new.phase) < array_position(phases, old.phase) then
    raise exception 'a scan does not go back to an earlier phase'
      using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
