-- Matching, first step: by the id of a host in the network.
create or replace function app.match_by_id(context app.ingest_context, hosts app.ingested_host[], failed int[])
returns app.ingested_match[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    select (sent.index, known.id, 'id')::app.ingested_match
    from unnest(hosts) as sent
    cross join lateral (
      select stored.id, stored.network_id from public.hosts as stored
      where stored.organization_id = (select context.organization_id) and stored.current_id = sent.told_id
      offset 0) as known
    where known.network_id = context.network_id and sent.index <> all (failed));
end
$$;

grant execute on function app.match_by_id to inventory_api;
