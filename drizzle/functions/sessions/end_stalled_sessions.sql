-- Marks scans that have not made progress for five minutes as failed, or as cancelled if their cancellation was
-- requested but their daemons could not be reached. The scans of suspended organizations wait. Ends at most `maximum`
-- scans, and returns their number.
create or replace function app.end_stalled_sessions(maximum integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  ended integer;
begin
  update public.discovery_sessions as stalled set finished_at = now(),
    phase = case when stalled.cancel_requested_at is null then 'Failed' else 'Cancelled' end,
    error = case when stalled.cancel_requested_at is null then 'stalled' end
  where stalled.ctid = any (array(
    select due.ctid from public.discovery_sessions as due
    where due.phase in ('Pending', 'Starting', 'Started', 'Scanning')
      and due.moved_at <= now() - interval '5 minutes'
      and not app.is_suspended(due.organization_id)
    order by due.moved_at limit maximum for update skip locked));
  get diagnostics ended = row_count;
  return ended;
end
$$;

grant execute on function app.end_stalled_sessions to inventory_poller;
