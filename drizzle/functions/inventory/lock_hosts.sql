-- Locks hosts of the caller's organization in the order of their ids, and fixes the transaction's timestamp. A
-- transaction that changes several hosts calls this first.
create or replace function app.lock_hosts(host_ids uuid[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  -- Read here, since the statement below would read it for each host.
  latest timestamptz := app.latest_credible(organization);
  earliest timestamptz;
begin
  select max(locked.updated_at) + interval '1 millisecond' into earliest from (
    select record.updated_at from public.hosts as record
    where record.organization_id = organization and record.current_id = any (host_ids)
      and record.updated_at < latest
    order by record.id for no key update) as locked;
  perform app.stamp_transaction(organization, earliest);
end
$$;

grant execute on function app.lock_hosts to inventory_api;
