-- Claims due cancellations. Each one becomes due again every 30 seconds until it is deleted, after five minutes at the
-- latest.
create or replace function app.claim_scan_cancellations(maximum integer)
returns table (organization_id uuid, session_id uuid, daemon_id uuid, url text, sealed_token text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  delete from app.scan_cancellations as old
  where old.requested_at <= now() - interval '5 minutes';
  return query
  update app.scan_cancellations as claimed set next_try_at = now() + interval '30 seconds'
  where claimed.ctid = any (array(
    select due.ctid from app.scan_cancellations as due where due.next_try_at <= now()
    order by due.requested_at limit maximum for update skip locked))
  returning claimed.organization_id, claimed.session_id, claimed.daemon_id, claimed.url,
    claimed.sealed_token;
end
$$;

grant execute on function app.claim_scan_cancellations to inventory_poller;
