-- The instant up to which the changes in the caller's organization are settled, but no later than the requested one.
-- Like app.settled_at, but if no transaction is in progress, everything up to now is settled. `is_cut` is true if a
-- transaction is in progress that may be stamped before the requested instant, or before now.
--
-- The clock is read first. A writer that takes the writers' lock (app.stamp_transaction) after the locks are read gets
-- a later timestamp. A writer that holds the lock but does not have a timestamp yet may get an earlier one, but not one
-- before the newest committed timestamp.
create or replace function app.settled_until(
  instant timestamptz, out settled timestamptz, out is_cut boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  just_now constant timestamptz := date_trunc('milliseconds', clock_timestamp()) - interval '1 millisecond';
  organization constant uuid := app.organization_id();
  newest constant timestamptz := coalesce(app.newest_stamp(organization), '0001-01-01T00:00:00Z');
  under_way timestamptz;
  is_unstamped boolean;
begin
  -- pg_locks shows keys as unsigned integers: the two halves of a single key, or the two keys.
  with held as materialized (
    select lock.virtualtransaction, lock.classid::bigint as high, lock.objid::bigint as low, lock.objsubid, lock.mode
    from pg_locks as lock
    where lock.locktype = 'advisory'
      and lock.database = (select oid from pg_database where datname = current_database())),
  stamps as (
    select held.virtualtransaction,
      timestamptz 'epoch' + interval '1 millisecond' * ((held.high & 1023) << 32 | held.low) as stamp
    from held
    where held.objsubid = 1 and held.high >> 10 = hashtext(organization::text)::bigint & 4194303)
  select (select min(stamps.stamp) from stamps), exists (
    select from held
    -- An exclusive holder only reads (app.settled_of).
    where held.objsubid = 2 and held.high = 20261121 and held.mode = 'ShareLock'
      and held.low = hashtext(organization::text)::bigint & 4294967295
      and not exists (
        select from stamps where stamps.virtualtransaction = held.virtualtransaction))
  into under_way, is_unstamped;
  settled := least(instant, under_way - interval '1 millisecond',
    case when is_unstamped then newest else greatest(newest, just_now) end);
  is_cut := settled < least(instant, just_now);
end
$$;

grant execute on function app.settled_until to inventory_api;
