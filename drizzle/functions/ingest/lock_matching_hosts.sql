-- Locks all hosts that the report may match, before any of them are read. Concurrent writers' changes are then visible,
-- and this transaction's timestamp is fixed after theirs.
create or replace function app.lock_matching_hosts(network uuid, report jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
begin
  perform app.lock_hosts(array(
    select known.id
    from jsonb_to_recordset(report->'hosts') as sent (id uuid)
    cross join lateral (
      select stored.id, stored.network_id from public.hosts as stored
      where stored.organization_id = (select organization) and stored.current_id = sent.id
      offset 0) as known
    where known.network_id = network
    union
    select known.id
    from jsonb_to_recordset(report->'own_data') as sent (external_id text)
    cross join lateral (
      select stored.id, stored.network_id from public.hosts as stored
      where stored.organization_id = (select organization) and stored.external_id = sent.external_id
        and stored.valid_to is null
      offset 0) as known
    where known.network_id = network
    union
    select known.host_id
    from (select distinct ip from jsonb_to_recordset(report->'addresses') as every (ip inet)) as sent
    cross join lateral (
      select stored.host_id, stored.network_id, stored.valid_to from public.ip_addresses as stored
      where stored.organization_id = (select organization) and stored.address = sent.ip
      offset 0) as known
    where known.network_id = network and known.valid_to is null
    union
    select known.host_id
    from (select distinct mac from jsonb_to_recordset(report->'addresses') as every (mac macaddr)) as sent
    cross join lateral (
      select stored.host_id, stored.network_id, stored.valid_to from public.ip_addresses as stored
      where stored.organization_id = (select organization) and stored.mac_address = sent.mac
      offset 0) as known
    where known.network_id = network and known.valid_to is null));
end
$$;

grant execute on function app.lock_matching_hosts to inventory_api;
