-- Raises the revision of daemons of which a set has changed: see app.revise_hosts.
create or replace function app.revise_daemons() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid;
  ids uuid[];
begin
  for organization in select distinct changed.organization_id from changed loop
    ids := array(
      select distinct changed.daemon_id from changed where changed.organization_id = organization);
    ids := array(
      select record.id from public.daemons as record
      where record.organization_id = organization and record.id = any (ids)
        and record.xmin <> pg_current_xact_id()::xid
      order by record.id for no key update);
    if ids <> '{}' then
      update public.daemons as record set revision = record.revision
      where record.organization_id = organization and record.id = any (ids);
    end if;
  end loop;
  return null;
end
$$;
