-- Bounds the audit log, where a caller is about to write entries: ends a transaction whose organization has too many of
-- 24 hours. What the service does by itself goes on, as a webhook that is disabled, and so do the commands of operators,
-- who may have to disable the key that fills the log.
--
-- To count takes the longer the more there are, so one entry of a thousandth of the most that may be looks. Who finds the
-- log full says so, and goes on, as a transaction that ends says nothing: so an organization may exceed the bound by about
-- that. A new UUID draws it, as who writes SQL sets the seed of random().
create or replace function app.bound_audit_entries(organization uuid, written integer) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  maximum constant bigint := app.maximum_audit_entries_of_day();
  free_at timestamptz;
begin
  -- Not current_user, which is the owner in what callers may execute but not write. Who writes SQL may set another role
  -- within the statement that this bounds, but has logged in as nobody else: operators did as the owner or above.
  if current_setting('role') <> 'inventory_api' and (
    pg_has_role(session_user, current_user, 'member') or pg_has_role(session_user, 'inventory_poller', 'member'))
  then
    return;
  end if;
  select max(known.until) into free_at from app.full_audit_logs as known
  where known.organization_id = organization and known.until > now()
    and known.transaction_id <> pg_current_xact_id();
  if free_at is not null then
    perform app.abort('rate_limit_exceeded', jsonb_build_object('limit', 'audit_entries_of_organization',
      'retry_after_seconds', ceil(extract(epoch from free_at - now()))::integer));
  end if;
  if abs(uuid_hash(gen_random_uuid())::bigint) % maximum < written * 1000::bigint then
    -- What it finds is one more than may be: there is room again once it no longer counts.
    insert into app.full_audit_logs (organization_id, until, transaction_id)
    select entry.organization_id, entry.at + interval '24 hours', pg_current_xact_id()
    from public.audit_entries as entry
    where entry.organization_id = organization and entry.at > now() - interval '24 hours'
    order by entry.at desc offset maximum limit 1
    -- A transaction may look more than once.
    on conflict do nothing;
  end if;
end
$$;
