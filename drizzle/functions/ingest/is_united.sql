-- True if a user consolidated two or more hosts into this one; imports and scans still see them separately.
create or replace function app.is_united(context app.ingest_context, host uuid, moved_addresses uuid[]) returns boolean
language sql stable parallel safe
begin atomic
  select exists (
    select from public.ip_addresses as known
    where known.organization_id = (context).organization_id and known.live_host_id = host
      and known.evidence ? 'host_id' and known.id <> all (moved_addresses));
end;

grant execute on function app.is_united to inventory_api;
