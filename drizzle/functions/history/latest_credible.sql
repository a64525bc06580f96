-- A timestamp from here on is of a clock that was wrong, and must not take all others with it: timestamps run
-- ahead of the clock a little where changes follow each other within a millisecond, and as far as the clock was
-- set back.
create or replace function app.latest_credible(organization uuid) returns timestamptz
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  return greatest(clock_timestamp(), app.newest_stamp(organization)) + interval '1 second';
end
$$;
