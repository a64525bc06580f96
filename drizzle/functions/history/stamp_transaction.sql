-- Returns the timestamp of all of this transaction's changes to an organization's history. It is unique and never
-- before `earliest`. It is later than every committed timestamp, regardless of the clock, so each record's changes are
-- in the order of their timestamps.
--
-- The advisory lock on the timestamp tells readers that its transaction is in progress (app.settled_at), and prevents
-- two writers from using the same timestamp. After the lock is taken, the committed timestamps are read again, because
-- a reader may have passed this timestamp in between. In that case it is abandoned, and the next one is tried. The
-- shared lock marks the organization as being changed: see app.await_changes.
create or replace function app.stamp_transaction(organization uuid, earliest timestamptz default null)
returns timestamptz
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  stamp timestamptz;
  newest timestamptz;
begin
  if current_setting('app.stamped_organization', true) = organization::text then
    stamp := nullif(current_setting('app.changed_at', true), '')::timestamptz;
    -- Any session can change this setting, but must not be able to alter the past by doing so.
    if stamp >= date_trunc('milliseconds', now()) and stamp < app.latest_credible(organization) then
      return stamp;
    end if;
    stamp := null;
  end if;
  perform pg_advisory_xact_lock_shared(20261121, hashtext(organization::text));
  loop
    newest := app.newest_stamp(organization);
    stamp := greatest(stamp + interval '1 millisecond', newest + interval '1 millisecond',
      date_trunc('milliseconds', clock_timestamp()));
    if earliest < greatest(clock_timestamp(), newest) + interval '1 second' then
      stamp := greatest(stamp, earliest);
    end if;
    continue when not pg_try_advisory_xact_lock(app.stamp_lock(organization, stamp));
    newest := app.newest_stamp(organization);
    exit when newest is null or stamp > newest;
  end loop;
  perform set_config('app.changed_at', stamp::text, true),
    set_config('app.stamped_organization', organization::text, true);
  return stamp;
end
$$;
