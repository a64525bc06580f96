-- What was changed of a daemon, for the audit log.
create or replace function app.audit_daemon() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.audit_changed('Daemon', new.organization_id, new.id, new.name, new.network_id, array[
    case when new.host_id is distinct from old.host_id then 'host_id' end,
    case when new.name is distinct from old.name then 'name' end,
    case when new.receives_credentials is distinct from old.receives_credentials then 'receives_credentials' end,
    case when (new.schedule_cron, new.schedule_timezone, new.schedule_is_full_scan) is distinct from
      (old.schedule_cron, old.schedule_timezone, old.schedule_is_full_scan) then 'scan_schedule' end,
    case when new.url is distinct from old.url then 'url' end]);
  return null;
end
$$;
