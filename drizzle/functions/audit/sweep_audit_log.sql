-- Deletes up to `maximum` entries that are no longer kept, and the markers of full logs that have room again. Returns
-- the number of deleted entries. Organizations are processed in random order, so that one with many old entries does
-- not always delay the others.
create or replace function app.sweep_audit_log(maximum integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  swept integer;
begin
  delete from app.full_audit_logs as past where past.ctid = any (array(
    select due.ctid from app.full_audit_logs as due
    where due.until <= now() limit maximum for update skip locked));
  delete from public.audit_entries as old where old.ctid = any (array(
    select due.ctid from (
      select owner.id, now() - make_interval(days => app.audit_days(owner.history_days)) as begins
      from public.organizations as owner order by random()) as known
    cross join lateral (
      select entry.ctid from public.audit_entries as entry
      where entry.organization_id = known.id and entry.at < known.begins
      order by entry.at limit maximum for update skip locked) as due
    limit maximum));
  get diagnostics swept = row_count;
  return swept;
end
$$;

grant execute on function app.sweep_audit_log to inventory_poller;
