-- A failed or cancelled scan is never settled, so its hosts and gaps are deleted.
create or replace function app.forget_unsettled() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from app.scan_gaps as gaps
  where gaps.organization_id = new.organization_id and gaps.session_id = new.id;
  delete from app.scan_hosts as found
  where found.organization_id = new.organization_id and found.session_id = new.id;
  return null;
end
$$;
