-- Stores the token of a daemon that the caller can access, replacing the previous one.
create or replace function app.store_daemon_token(stored_id uuid, sealed_token text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  reaches_all boolean := app.reaches_all_networks();
  reached uuid[] := case when reaches_all then '{}' else app.network_ids() end;
begin
  insert into public.daemon_secrets (organization_id, daemon_id, field, sealed)
  select daemon.organization_id, daemon.id, 'token', sealed_token from public.daemons as daemon
  where daemon.organization_id = organization and daemon.id = stored_id
    and (reaches_all or daemon.network_id = any (reached))
  on conflict on constraint daemon_secrets_pk do update set sealed = excluded.sealed;
  if not found then
    perform app.abort('entity_not_found', jsonb_build_object('entity', 'Daemon', 'id', stored_id));
  end if;
end
$$;

grant execute on function app.store_daemon_token to inventory_api;
