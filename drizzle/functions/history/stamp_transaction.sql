-- The timestamp of all that this transaction changes in the history of an organization: never before `earliest`,
-- and unique. It lies above every one that is committed, whatever the clock says, so the order of timestamps is
-- that in which each record was changed.
--
-- The advisory lock of the timestamp shows readers that it is under way (app.settled_at), and keeps two writers
-- from the same one. After it was taken, another look at what is committed tells whether a reader may have
-- passed the timestamp in between: such a one is given up, and the next tried. The shared lock says that the
-- organization is being changed: see app.await_changes.
create or replace function app.stamp_transaction(organization uuid, earliest timestamptz default null)
returns timestamptz
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  stamp timestamptz;
  newest timestamptz;
begin
  if current_setting('app.stamped_organization', true) = organization::text then
    stamp := nullif(current_setting('app.changed_at', true), '')::timestamptz;
    -- Anybody may set the setting, but not to change the past.
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
