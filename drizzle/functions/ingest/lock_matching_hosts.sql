-- Locks whatever the report may match before it is looked at, so that what other writers change meanwhile
-- is seen, and the timestamp of all changes is fixed after theirs.
create or replace function app.lock_matching_hosts(network uuid, report jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
begin
  perform app.lock_hosts(array(
    select known.id from public.hosts as known
    where known.organization_id = organization and known.network_id = network
      and known.valid_to is null
      and known.id in (
        select sent.id from jsonb_to_recordset(report->'hosts') as sent (id uuid))
    union
    select stored.host_id from public.ip_addresses as stored
    where stored.organization_id = organization and stored.network_id = network
      and stored.valid_to is null
      and (stored.address in (
          select sent.ip from jsonb_to_recordset(report->'addresses') as sent (ip inet))
        or stored.mac_address in (
          select sent.mac from jsonb_to_recordset(report->'addresses') as sent (mac macaddr)))));
end
$$;

grant execute on function app.lock_matching_hosts(uuid, jsonb) to inventory_api;
