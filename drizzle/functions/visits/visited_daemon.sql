-- The daemon that this transaction visits, or null in an API request.
create or replace function app.visited_daemon() returns uuid
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select visit.daemon_id from app.daemon_visits as visit
  where visit.transaction_id = pg_current_xact_id_if_assigned()
$$;

grant execute on function app.visited_daemon to inventory_api;
