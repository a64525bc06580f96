-- Deletes up to `maximum` deliveries that ended at least 30 days ago. Returns the number of deleted deliveries.
create or replace function app.sweep_webhook_deliveries(maximum integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  swept integer;
begin
  delete from public.webhook_deliveries as old
  where old.ctid = any (array(
    select ended.ctid from public.webhook_deliveries as ended
    where ended.state <> 'retrying' and ended.last_attempt_at < now() - interval '30 days'
    order by ended.last_attempt_at limit maximum for update skip locked));
  get diagnostics swept = row_count;
  return swept;
end
$$;

grant execute on function app.sweep_webhook_deliveries(integer) to inventory_poller;
