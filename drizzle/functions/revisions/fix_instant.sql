-- Fixes the timestamp of a list that is read in several transactions. Returns only once that
-- millisecond has passed and nothing stamped with it or before is under way: what follows sees all
-- of it.
create or replace function app.fix_instant() returns timestamptz
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  instant timestamptz := date_trunc('milliseconds', clock_timestamp());
begin
  while clock_timestamp() < instant + interval '1 millisecond' loop
    perform pg_sleep(0.0005);
  end loop;
  perform app.await_changes();
  perform set_config('app.instant', instant::text, true);
  return instant;
end
$$;

grant execute on function app.fix_instant() to inventory_api;
