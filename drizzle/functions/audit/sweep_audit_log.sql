-- Deletes so many entries at most that are older than 400 days. Returns how many.
create or replace function app.sweep_audit_log(maximum integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  swept integer;
begin
  delete from public.audit_entries as old where old.ctid = any (array(
    select due.ctid from public.organizations as known
    cross join lateral (
      select entry.ctid from public.audit_entries as entry
      where entry.organization_id = known.id and entry.at < now() - interval '400 days'
      order by entry.at limit maximum for update skip locked) as due
    limit maximum));
  get diagnostics swept = row_count;
  return swept;
end
$$;

grant execute on function app.sweep_audit_log(integer) to inventory_poller;
