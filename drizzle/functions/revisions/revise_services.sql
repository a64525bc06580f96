-- Raises the revision of services of which a set has changed: see app.revise_hosts.
create or replace function app.revise_services() returns trigger
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
        select distinct changed.service_id from changed where changed.organization_id = organization);
    elsif tg_op in ('INSERT', 'DELETE') then
      -- A version that was closed concerns no owner.
      ids := array(
        select distinct changed.service_id from changed
        where changed.organization_id = organization and changed.valid_to is null);
    -- Revisions only rise: where their sum is as before, all were only seen again.
    elsif (select sum(revision) from changed) <> (select sum(revision) from former) then
      ids := array(
        select unnest(array[changed.service_id, former.service_id])
        from changed join former using (organization_id, id)
        where changed.organization_id = organization and changed.revision <> former.revision);
    else
      return null;
    end if;
    continue when ids = '{}';
    ids := array(
      select record.id from public.services as record
      where record.organization_id = organization and record.id = any (ids)
        and (
          record.xmin <> pg_current_xact_id()::xid
          or record.updated_at < stamped
          or record.updated_at >= clock_timestamp() + interval '1 second')
      order by record.id for no key update);
    if ids <> '{}' then
      update public.services as record set revision = record.revision
      where record.organization_id = organization and record.id = any (ids);
    end if;
  end loop;
  return null;
end
$$;
