-- Deletes ended scans after 90 days, and entries for requested scans that no longer count towards the daily maximum.
-- Deletes up to `maximum` rows, and returns their number.
create or replace function app.sweep_discovery_sessions(maximum integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  swept integer;
  swept_requests integer;
begin
  delete from public.discovery_sessions as old where old.ctid = any (array(
    select due.ctid from public.discovery_sessions as due
    where due.finished_at <= now() - interval '90 days'
    order by due.finished_at limit maximum
    for update skip locked));
  get diagnostics swept = row_count;
  delete from app.requested_scans as old where old.ctid = any (array(
    select due.ctid from app.requested_scans as due
    where due.requested_at <= now() - interval '1 day'
    order by due.requested_at limit maximum - swept for update skip locked));
  get diagnostics swept_requests = row_count;
  return swept + swept_requests;
end
$$;

grant execute on function app.sweep_discovery_sessions(integer) to inventory_poller;
