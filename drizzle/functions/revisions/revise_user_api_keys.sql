-- Raises the revision of API keys of which a set has changed: see app.revise_hosts.
create or replace function app.revise_user_api_keys() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid;
  ids uuid[];
begin
  for organization in select distinct changed.organization_id from changed loop
    ids := array(
      select distinct changed.api_key_id from changed where changed.organization_id = organization);
    ids := array(
      select record.id from public.user_api_keys as record
      where record.organization_id = organization and record.id = any (ids)
        and (
          record.xmin <> pg_current_xact_id()::xid
          -- The gate has written when the key was used, for which its revision does not rise.
          or record.last_used_at = now()::timestamptz(3))
      order by record.id for no key update);
    if ids <> '{}' then
      update public.user_api_keys as record set revision = record.revision
      where record.organization_id = organization and record.id = any (ids);
    end if;
  end loop;
  return null;
end
$$;
