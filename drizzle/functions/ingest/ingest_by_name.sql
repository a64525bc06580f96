-- Ingests a report about one stored host that contains the names of the host's interfaces but not their numbers: in
-- `report`, `if_index` is the position of an interface, starting at 1. An interface is left out, with an issue, unless
-- exactly one interface of the host has its name.
create or replace function app.ingest_by_name(host uuid, discovery uuid, report jsonb, dry_run boolean)
returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  network uuid := (
    select known.network_id from public.hosts as known
    where known.organization_id = organization and known.current_id = host);
  numbers jsonb;
  result jsonb;
begin
  -- Locks in the same order as app.ingest. From then on, the host's interfaces do not change.
  if not dry_run and network is not null then
    perform app.lock_records(network_ids => array[network]);
    perform app.lock_hosts(array[host]);
  end if;
  if not exists (
    select from public.hosts as known
    where known.organization_id = organization and known.current_id = host)
  then
    perform app.abort('entity_not_found', jsonb_build_object('entity', 'Host', 'id', host));
  end if;
  numbers := coalesce((
    select jsonb_object_agg(sent.if_index, stored.if_index)
    from jsonb_to_recordset(report->'interfaces') as sent (if_index int, name text)
    join (
      select known.name, min(known.if_index) as if_index from public.interfaces as known
      where known.organization_id = organization and known.live_host_id = host
      group by known.name having count(*) = 1) as stored on stored.name = sent.name), '{}');
  result := app.ingest(network, discovery, 'Import', report || jsonb_build_object(
    'interfaces', app.renumbered(report->'interfaces', numbers),
    'neighbors', app.renumbered(report->'neighbors', numbers)), dry_run);
  return jsonb_set(result, '{issues}', result->'issues' || (
    select coalesce(jsonb_agg(jsonb_build_object(
      'index', sent.index, 'kind', 'unknown_interface', 'position', sent.if_index - 1, 'other', null)
      order by sent.if_index), '[]')
    from jsonb_to_recordset(report->'interfaces') as sent (index int, if_index int)
    where not numbers ? sent.if_index::text));
end
$$;

grant execute on function app.ingest_by_name to inventory_api;
