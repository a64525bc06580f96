-- Writes who changes an organization at a timestamp, as they are named now. The owner of the database, who seeds and
-- runs commands, is the system. A transaction that went on to another organization and came back has its row.
create or replace function app.record_transaction(organization uuid, stamp timestamptz) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  presented public.user_api_keys := app.presented_key();
  import uuid;
begin
  -- An organization that is deleted goes with all its history.
  if not exists (select from public.organizations where id = organization) then
    return;
  end if;
  if presented.organization_id = organization then
    import := nullif(current_setting('app.import_id', true), '')::uuid;
    insert into public.transactions (
      organization_id, changed_at, actor_type, actor_id, actor_name, request_id, discovery_id)
    values (organization, stamp, case when import is null then 'key' else 'import' end, presented.id,
      presented.name, left(nullif(current_setting('app.request_id', true), ''), 64), import)
    on conflict do nothing;
    return;
  end if;
  insert into public.transactions (
    organization_id, changed_at, actor_type, actor_id, actor_name, discovery_id)
  select organization, stamp, 'daemon', daemon.id, daemon.name, app.visit_discovery()
  from app.daemon_visits as visit
  join public.daemons as daemon
    on daemon.organization_id = visit.organization_id and daemon.id = visit.daemon_id
  where visit.transaction_id = pg_current_xact_id_if_assigned()
    and visit.organization_id = organization
  on conflict do nothing;
  if not found then
    insert into public.transactions (organization_id, changed_at, actor_type)
    values (organization, stamp, 'system')
    on conflict do nothing;
  end if;
end
$$;
