-- Makes the audit log append-only for every role. A transaction may add fields to its own entries. Entries are deleted
-- once they are no longer kept (app.audit_days), or with their organization.
create or replace function app.refuse_changed_audit() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'UPDATE' and old.at >= date_trunc('milliseconds', now())
    and to_jsonb(new) - 'changed' = to_jsonb(old) - 'changed'
  then
    return new;
  end if;
  if tg_op = 'DELETE' and (
    not app.is_kept(old.organization_id)
    or old.at < now() - make_interval(days => app.audit_days((
      select known.history_days from public.organizations as known where known.id = old.organization_id))))
  then
    return old;
  end if;
  raise exception 'the audit log cannot be changed' using errcode = 'restrict_violation';
end
$$;
