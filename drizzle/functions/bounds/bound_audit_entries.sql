-- Limits the audit log before a caller writes entries: aborts the transaction if the organization has too many entries
-- from the last 24 hours. The service's own writes, such as disabling a webhook, are not limited. Neither are
-- operators' commands, since an operator may have to disable the key that fills the log.
--
-- Counting takes longer the more entries there are, so only a sample is counted: 1 entry in (maximum / 1000). A
-- transaction that finds the log full records this and continues, because an aborted transaction could not record
-- anything. An organization can therefore exceed the limit by about that many entries. The sample is drawn with a new
-- UUID, since a session that runs its own SQL can set the seed of random().
create or replace function app.bound_audit_entries(organization uuid, written integer) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  maximum constant bigint := app.maximum_audit_entries_of_day();
  free_at timestamptz;
begin
  -- current_user does not identify the caller, since it is the owner in security definer functions. A session that runs
  -- its own SQL can set another role within the limited statement, but it cannot change its login. Operators log in as
  -- the owner, or as a more powerful role.
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
    -- The selected entry is the first beyond the maximum: there is room again once it no longer counts.
    insert into app.full_audit_logs (organization_id, until, transaction_id)
    select entry.organization_id, entry.at + interval '24 hours', pg_current_xact_id()
    from public.audit_entries as entry
    where entry.organization_id = organization and entry.at > now() - interval '24 hours'
    order by entry.at desc offset maximum limit 1
    -- One transaction can reach this statement more than once.
    on conflict do nothing;
  end if;
end
$$;
