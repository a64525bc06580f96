-- The timestamp of all that this transaction changes in the history of an organization. The first change
-- fixes it, after the locks for it were taken, and never before `earliest`: so a reader of any timestamp
-- sees all of a transaction or nothing. The shared lock says that the organization is being changed: see
-- app.await_changes. The first change also looks whether the organization may still begin versions. It does
-- not refuse itself: deletions, and what is only seen again, begin none.
create or replace function app.changed_at(organization uuid, earliest timestamptz default null)
returns timestamptz
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  fixed timestamptz := nullif(current_setting('app.changed_at', true), '')::timestamptz;
begin
  -- Anybody may set the setting, but not to change the past.
  if fixed >= date_trunc('milliseconds', now()) and fixed < clock_timestamp() + interval '1 second' then
    return fixed;
  end if;
  perform pg_advisory_xact_lock_shared(20261121, hashtext(organization::text));
  fixed := date_trunc('milliseconds', clock_timestamp());
  -- Changes that follow each other within a millisecond run ahead of the clock a little; a row of the
  -- far future, from a clock that was wrong, must not take all others with it.
  if earliest < fixed + interval '1 second' then
    fixed := greatest(fixed, earliest);
  end if;
  perform set_config('app.changed_at', fixed::text, true);
  if app.counted_versions(organization) >= app.maximum_versions_of_day() then
    perform set_config('app.versions_are_spent', 'true', true);
  end if;
  return fixed;
end
$$;
