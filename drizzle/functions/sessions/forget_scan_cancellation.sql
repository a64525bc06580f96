-- Deletes a cancellation that was sent, or that cannot be sent.
create or replace function app.forget_scan_cancellation(organization uuid, scan uuid) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  delete from app.scan_cancellations
  where organization_id = organization and session_id = scan
$$;

grant execute on function app.forget_scan_cancellation to inventory_poller;
