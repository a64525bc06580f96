-- Raises the revision of subnets of which a set has changed: see app.revise_hosts.
create or replace function app.revise_subnets() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
    ids := array(
      select distinct changed.subnet_id from changed where changed.organization_id = organization);
    ids := array(
      select record.id from public.subnets as record
      where record.organization_id = organization and record.id = any (ids)
        and (
          record.xmin <> pg_current_xact_id()::xid
          or record.updated_at < stamped
          or record.updated_at >= clock_timestamp() + interval '1 second')
      order by record.id for no key update);
    if ids <> '{}' then
      update public.subnets as record set revision = record.revision
      where record.organization_id = organization and record.id = any (ids);
    end if;
  end loop;
  return null;
end
$$;
