-- Deletes up to `maximum` version counters that are too old to count. Returns the number of deleted counters.
create or replace function app.sweep_version_counters(maximum integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  swept integer;
begin
  delete from app.version_counters as old where old.ctid = any (array(
    select due.ctid from app.version_counters as due
    where due.hour <= now() - interval '24 hours'
    order by due.hour limit maximum for update skip locked));
  get diagnostics swept = row_count;
  return swept;
end
$$;

grant execute on function app.sweep_version_counters(integer) to inventory_poller;
