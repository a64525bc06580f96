-- Matching, first: by an id of the network.
create or replace function app.match_by_id(context app.ingest_context, hosts app.ingested_host[], failed int[])
returns app.ingested_match[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    select (sent.index, known.id, 'id')::app.ingested_match
    from unnest(hosts) as sent
    join public.hosts as known on known.organization_id = context.organization_id
      and known.network_id = context.network_id and known.valid_to is null and known.id = sent.told_id
    where sent.index <> all (failed));
end
$$;

grant execute on function app.match_by_id(app.ingest_context, app.ingested_host[], int[]) to inventory_api;
