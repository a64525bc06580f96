-- Locks a host, and with it all records that belong to it: every change to a part first locks the host and moves the
-- host's `updated_at` to at least the timestamp of the change. Returns the transaction's timestamp.
create or replace function app.change_host(organization uuid, host uuid) returns timestamptz
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  locked record;
  changed_at timestamptz;
begin
  select record.updated_at, record.xmin = pg_current_xact_id()::xid as is_own into locked
  from public.hosts as record
  where record.organization_id = organization and record.current_id = host
  for no key update;
  changed_at := app.changed_at(organization, locked.updated_at + interval '1 millisecond');
  if not locked.is_own then
    -- An equal timestamp is too late as well: the other transaction's version would be zero-length.
    perform app.refuse_later_change(
      organization, changed_at, locked.updated_at + interval '1 millisecond');
  end if;
  return changed_at;
end
$$;
