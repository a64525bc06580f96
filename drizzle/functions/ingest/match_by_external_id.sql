-- Matching by external id, after the step by id. Returns all matches so far. An import contains each external id once.
create or replace function app.match_by_external_id(
  context app.ingest_context, own_data jsonb, failed int[], inout matched app.ingested_match[])
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  matched := matched || array(
    select (sent.index, known.id, 'external_id')::app.ingested_match
    from jsonb_to_recordset(own_data) as sent (index int, external_id text)
    cross join lateral (
      select stored.id, stored.network_id from public.hosts as stored
      where stored.organization_id = (select context.organization_id) and stored.external_id = sent.external_id
        and stored.valid_to is null
      offset 0) as known
    where known.network_id = context.network_id and sent.index <> all (failed)
      and not exists (
        select from unnest(matched) as own where own.index = sent.index or own.host_id = known.id));
end
$$;

grant execute on function app.match_by_external_id to inventory_api;
