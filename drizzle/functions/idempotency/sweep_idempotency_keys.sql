-- Deletes up to `maximum` claims that are older than 24 hours. Returns the number of deleted claims.
create or replace function app.sweep_idempotency_keys(maximum integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  swept integer;
begin
  delete from public.idempotency_keys as old where old.ctid = any (array(
    select due.ctid from public.idempotency_keys as due
    where due.created_at <= now() - interval '24 hours'
    order by due.created_at limit maximum for update skip locked));
  get diagnostics swept = row_count;
  return swept;
end
$$;

grant execute on function app.sweep_idempotency_keys(integer) to inventory_poller;
