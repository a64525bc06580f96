-- The issues for external ids that belong to another host than the matched one, which are ignored: the host was matched
-- by its id, another host of the report was matched to that host, or that host is in another network. The id of a host
-- that the key cannot access is null.
create or replace function app.taken_external_ids(
  context app.ingest_context, own_data jsonb, failed int[], matched app.ingested_match[])
returns app.ingested_issue[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  hidden text[] := '{}';
begin
  if not app.reaches_all_networks() then
    hidden := app.held_external_ids(array(
      select sent.external_id from jsonb_to_recordset(own_data) as sent (external_id text)
      where sent.external_id is not null));
  end if;
  return array(
    select (sent.index, 'taken_external_id', null, known.id)::app.ingested_issue
    from jsonb_to_recordset(own_data) as sent (index int, external_id text)
    left join lateral (
      select stored.id from public.hosts as stored
      where stored.organization_id = (select context.organization_id) and stored.external_id = sent.external_id
        and stored.valid_to is null
      offset 0) as known on true
    left join unnest(matched) as own on own.index = sent.index
    where sent.index <> all (failed)
      and case when known.id is null then sent.external_id = any (hidden)
        else known.id is distinct from own.host_id end);
end
$$;

grant execute on function app.taken_external_ids to inventory_api;
