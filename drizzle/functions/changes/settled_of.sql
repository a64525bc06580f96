-- The timestamp up to which the changes in an organization are settled: every transaction with this timestamp or an
-- earlier one has ended, and no transaction will ever commit with such a timestamp. Null if nothing has been changed
-- yet. Must not be called by a transaction that has itself changed records of the organization.
--
-- Writers of the organization share a lock (app.stamp_transaction). A reader that briefly acquires the lock in
-- exclusive mode knows that there are no writers and that every change with a timestamp has been committed: the newest
-- timestamp is settled. The subtransaction releases the lock, so that writers do not wait for a reader to end.
--
-- If there are writers, this function first reads the newest committed timestamp, and then the timestamps of
-- transactions in progress, which appear as locks. A transaction releases its locks once its writes are visible. So a
-- timestamp that was assigned earlier and is not among the locks is visible to a statement that begins after this one.
-- A writer that takes its lock later reads the committed timestamps again, and finds the newest timestamp or a later
-- one.
create or replace function app.settled_of(organization uuid) returns timestamptz
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  newest timestamptz;
  under_way timestamptz;
begin
  begin
    if pg_try_advisory_xact_lock(20261121, hashtext(organization::text)) then
      newest := app.newest_stamp(organization);
      raise exception using errcode = 'IV001';
    end if;
  exception when sqlstate 'IV001' then
    return newest;
  end;
  newest := app.newest_stamp(organization);
  -- pg_locks shows keys as unsigned integers: the two halves of a single key, or the two keys. Timestamps of other
  -- organizations with the same bits are excluded, since they do not prevent the exclusive lock above either.
  -- Otherwise, a timestamp that was settled once would not stay settled.
  with held as materialized (
    select lock.virtualtransaction, lock.classid::bigint as high, lock.objid::bigint as low, lock.objsubid, lock.mode
    from pg_locks as lock
    where lock.locktype = 'advisory'
      and lock.database = (select oid from pg_database where datname = current_database()))
  select timestamptz 'epoch' + interval '1 millisecond' * min((stamp.high & 1023) << 32 | stamp.low)
  into under_way
  from held as stamp
  where stamp.objsubid = 1 and stamp.high >> 10 = hashtext(organization::text)::bigint & 4194303
    and exists (
      select from held as writer
      where writer.virtualtransaction = stamp.virtualtransaction and writer.objsubid = 2
        and writer.high = 20261121 and writer.mode = 'ShareLock'
        and writer.low = hashtext(organization::text)::bigint & 4294967295);
  return case when newest is not null then least(newest, under_way - interval '1 millisecond') end;
end
$$;
