-- Aborts a transaction that would change a record after another transaction has changed it with a later timestamp. The
-- caller may retry. Locking all hosts first (app.lock_hosts) avoids this.
create or replace function app.refuse_later_change(
  organization uuid, changed_at timestamptz, stamped timestamptz)
returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if stamped > changed_at and stamped < app.latest_credible(organization) then
    raise exception 'the record was changed at the same time'
      using errcode = 'serialization_failure';
  end if;
end
$$;
