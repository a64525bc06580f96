-- A set of a record is part of it: what changes the set changes the record. Arguments: the table of the
-- records, the column that names them, and `versioned` where the members have versions: of those only the
-- ones count whose own revision rose, as to be seen again is no change. One that moved counts for both.
--
-- Records that this transaction has changed before have got their new revision with that, and its
-- timestamp. That it has written them is not enough, as to be seen again changes none. One of the far
-- future, from a clock that was wrong, tells nothing. A deleted one needs none. Locks are taken in the
-- order of ids.
create or replace function app.revise_owners() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  stamped timestamptz;
begin
  if not exists (select from changed) then
    return null;
  end if;
  -- A version that was closed concerns no owner. Said here, as what is executed below is planned each time.
  if tg_op = 'INSERT' and tg_nargs >= 3 then
    if not exists (select from changed where valid_to is null) then
      return null;
    end if;
  end if;
  -- Revisions only rise: where their sum is as before, all were only seen again.
  if tg_op = 'UPDATE' and tg_nargs >= 3 then
    if (select sum(revision) from changed) = (select sum(revision) from former) then
      return null;
    end if;
  end if;
  stamped := nullif(current_setting('app.changed_at', true), '')::timestamptz;
  execute format('
    with owners as (%4$s), stale as (
      select record.organization_id, record.id from public.%1$I as record
      where (record.organization_id, record.id) in (select organization_id, %2$I from owners)
        and (record.xmin <> pg_current_xact_id()::xid or %3$s)
      order by record.id for no key update)
    update public.%1$I as record set revision = record.revision from stale
    where record.organization_id = stale.organization_id and record.id = stale.id',
    tg_argv[0], tg_argv[1],
    case
      when tg_argv[0] in ('hosts', 'services', 'subnets') then format(
        'record.updated_at < %L or record.updated_at >= clock_timestamp() + interval ''1 second''',
        -- Anybody may set the setting, but not to change the past.
        case when stamped >= date_trunc('milliseconds', now()) then stamped
          else 'infinity'::timestamptz end)
      -- The gate has written when the key was used, for which its revision does not rise.
      when tg_argv[0] = 'user_api_keys' then 'record.last_used_at = now()::timestamptz(3)'
      else 'false'
    end,
    case
      when tg_nargs < 3 or tg_op = 'DELETE' then
        format('select organization_id, %I from changed', tg_argv[1])
      when tg_op = 'INSERT' then
        format('select organization_id, %I from changed where valid_to is null', tg_argv[1])
      else format('
        select changed.organization_id, changed.%1$I from changed
        join former using (organization_id, id) where changed.revision <> former.revision
        union
        select former.organization_id, former.%1$I from former
        join changed using (organization_id, id)
        where changed.revision <> former.revision and changed.%1$I <> former.%1$I', tg_argv[1])
    end);
  return null;
end
$$;
