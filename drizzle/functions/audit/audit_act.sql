-- Logs a caller's action that does not change any field that callers read, such as replaying a webhook's messages or
-- requesting a scan. Arguments: the kind of record, and the action.
create or replace function app.audit_act() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  record_id constant uuid := case tg_table_name
    when 'webhook_deliveries' then to_jsonb(new) ->> 'webhook_id'
    when 'discovery_sessions' then to_jsonb(new) ->> 'daemon_id'
    else to_jsonb(new) ->> 'id' end;
  record_name text;
  network uuid;
begin
  if tg_argv[0] = 'Daemon' then
    select daemon.name, daemon.network_id into record_name, network from public.daemons as daemon
    where daemon.organization_id = new.organization_id and daemon.id = record_id;
  else
    select webhook.name into record_name from public.webhooks as webhook
    where webhook.organization_id = new.organization_id and webhook.id = record_id;
  end if;
  perform app.bound_audit_entries(new.organization_id, 1);
  perform app.write_audit(new.organization_id, tg_argv[1], tg_argv[0], array[record_id], array[record_name],
    array[network], '{}');
  return null;
end
$$;
