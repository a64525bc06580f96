-- Fixes the timestamp of a list that is read in several transactions. Returns once that millisecond has passed and no
-- transaction with this timestamp or an earlier one is in progress, so later statements see all of these transactions.
-- If the clock was set back, timestamps run ahead of it; in that case, this function returns the newest one.
create or replace function app.fix_instant() returns timestamptz
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  instant timestamptz := greatest(date_trunc('milliseconds', clock_timestamp()), (
    select stamped.changed_at from public.transactions as stamped
    where stamped.organization_id = (select app.organization_id())
    order by stamped.changed_at desc limit 1));
begin
  while clock_timestamp() between instant and instant + interval '1 millisecond' loop
    perform pg_sleep(0.0005);
  end loop;
  perform app.await_changes();
  perform set_config('app.instant', instant::text, true);
  return instant;
end
$$;

grant execute on function app.fix_instant to inventory_api;
