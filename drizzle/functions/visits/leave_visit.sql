-- Closes the gate that app.enter_visit opened, within the same transaction.
create or replace function app.leave_visit() returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  delete from app.daemon_visits where transaction_id = pg_current_xact_id_if_assigned()
$$;

grant execute on function app.leave_visit to inventory_poller;
