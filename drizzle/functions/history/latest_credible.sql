-- The exclusive upper limit of credible timestamps. A timestamp at or after it comes from a clock that was wrong, and
-- must not push all following timestamps ahead as well. Credible timestamps can run ahead of the clock: slightly if
-- changes follow each other within a millisecond, or by as much as the clock was set back.
create or replace function app.latest_credible(organization uuid) returns timestamptz
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  return greatest(clock_timestamp(), app.newest_stamp(organization)) + interval '1 second';
end
$$;
