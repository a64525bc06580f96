-- Locks records of the caller's organization, always in the same order. A transaction that changes sets on both sides,
-- or deletes records that sets refer to, first calls this for everything that it will write, so two such transactions
-- never deadlock. Tags are only protected from deletion, since a set refers to them.
create or replace function app.lock_records(
  tag_ids uuid[] default '{}', credential_ids uuid[] default '{}', daemon_ids uuid[] default '{}',
  network_ids uuid[] default '{}', key_ids uuid[] default '{}')
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
begin
  if tag_ids <> '{}' then
    perform from public.tags as record
    where record.organization_id = organization and record.id = any (tag_ids)
    order by record.id for key share;
  end if;
  if credential_ids <> '{}' then
    perform from public.credentials as record
    where record.organization_id = organization and record.id = any (credential_ids)
    order by record.id for no key update;
  end if;
  if daemon_ids <> '{}' then
    perform from public.daemons as record
    where record.organization_id = organization and record.id = any (daemon_ids)
    order by record.id for no key update;
  end if;
  if network_ids <> '{}' then
    perform from public.networks as record
    where record.organization_id = organization and record.id = any (network_ids)
    order by record.id for no key update;
  end if;
  if key_ids <> '{}' then
    perform from public.user_api_keys as record
    where record.organization_id = organization and record.id = any (key_ids)
    order by record.id for no key update;
  end if;
end
$$;

grant execute on function app.lock_records to inventory_api;
