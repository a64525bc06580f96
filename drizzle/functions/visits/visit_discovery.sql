-- The discovery that the visited daemon's reports belong to: the scan most recently sent to it, even if the scan has
-- ended, since its entities may arrive later. Before the daemon's first scan, it is the daemon itself.
create or replace function app.visit_discovery() returns uuid
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select coalesce((
    select handed.session_id from app.handed_scans as handed
    where handed.organization_id = visit.organization_id and handed.daemon_id = visit.daemon_id
    order by handed.started_at desc limit 1), visit.daemon_id)
  from app.daemon_visits as visit
  where visit.transaction_id = pg_current_xact_id_if_assigned()
$$;

grant execute on function app.visit_discovery to inventory_ingest;
