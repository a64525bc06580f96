-- Up to which timestamp the changes of an organization are settled: every transaction with this timestamp or an
-- earlier one has ended, and none will ever commit with such a one. Null where nothing was changed yet. Not for a
-- transaction that changes the organization itself.
--
-- Whoever changes the organization shares a lock (app.stamp_transaction). Who has it alone for a moment knows that
-- nobody does, and that all that was stamped is committed: the newest is settled. The lock goes with the
-- subtransaction, so that no writer waits for the end of a reader.
--
-- Else first the newest that is committed, then those that are under way, which show as locks: a transaction lets go of
-- its locks once what it has written is visible. So what was stamped before and is not among the locks is seen by a
-- statement that begins after this. What takes its lock later looks again what is committed, and finds the newest or a
-- newer one.
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
  -- As pg_locks has keys: the halves of one, or two, unsigned. Of other organizations whose timestamps have the same bits
  -- none counts, as none does above: what was settled once stays so.
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
