-- A set of a record is part of it: what changes the set changes the record. The argument `versioned` says
-- that the members have versions: of those only the ones count whose own revision rose, as to be seen again
-- is no change. One that moved counts for both.
--
-- Records that this transaction has changed before have got their new revision with that, and its
-- timestamp. That it has written them is not enough, as to be seen again changes none. One of the far
-- future, from a clock that was wrong, tells nothing. A deleted one needs none. Locks are taken in the
-- order of ids.
--
-- There is a function for each table of owners, so that Postgres keeps the plans. They must suit one member
-- and thousands: owners are found by their ids, and nothing is joined in nested loops.
create or replace function app.revise_hosts() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_nestloop = off as $$
declare
  organization uuid;
  ids uuid[];
  stamped timestamptz := nullif(current_setting('app.changed_at', true), '')::timestamptz;
begin
  -- Anybody may set the setting, but not to change the past.
  if stamped is null or stamped < date_trunc('milliseconds', now()) then
    stamped := 'infinity';
  end if;
  for organization in select distinct changed.organization_id from changed loop
    if tg_nargs = 0 then
      ids := array(
        select distinct changed.host_id from changed where changed.organization_id = organization);
    elsif tg_op in ('INSERT', 'DELETE') then
      -- A version that was closed concerns no owner.
      ids := array(
        select distinct changed.host_id from changed
        where changed.organization_id = organization and changed.valid_to is null);
    -- Revisions only rise: where their sum is as before, all were only seen again.
    elsif (select sum(revision) from changed) <> (select sum(revision) from former) then
      ids := array(
        select unnest(array[changed.host_id, former.host_id])
        from changed join former using (organization_id, id)
        where changed.organization_id = organization and changed.revision <> former.revision);
    else
      return null;
    end if;
    continue when ids = '{}';
    ids := array(
      select record.id from public.hosts as record
      where record.organization_id = organization and record.id = any (ids)
        and (
          record.xmin <> pg_current_xact_id()::xid
          or record.updated_at < stamped
          or record.updated_at >= clock_timestamp() + interval '1 second')
      order by record.id for no key update);
    if ids <> '{}' then
      update public.hosts as record set revision = record.revision
      where record.organization_id = organization and record.id = any (ids);
    end if;
  end loop;
  return null;
end
$$;
