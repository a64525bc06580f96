-- The hosts whose external id, metadata or tags an import changes, with the new values and the tags that are removed
-- and added. A value that the import does not contain is kept. `ignored`: the hosts whose external id is ignored.
create or replace function app.plan_own_data(
  context app.ingest_context, own_data jsonb, planned_hosts app.ingested_record[], ignored int[])
returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return coalesce((
    select jsonb_agg(jsonb_build_object('index', host.index, 'id', host.id, 'external_id', new.external_id,
      'metadata', new.metadata, 'removed', tag.removed, 'added', tag.added))
    from jsonb_to_recordset(own_data) as sent (index int, external_id text, metadata jsonb, tag_ids uuid[])
    join unnest(planned_hosts) as host on host.index = sent.index
    left join lateral (
      select stored.external_id, stored.metadata from public.hosts as stored
      where stored.organization_id = (select context.organization_id) and stored.current_id = host.id
      offset 0) as known on true
    cross join lateral (
      select array(
        select tagged.tag_id from public.host_tags as tagged
        where tagged.organization_id = (select context.organization_id) and tagged.host_id = host.id) as tag_ids) as held
    cross join lateral (
      select case when sent.index = any (ignored) then known.external_id
          else coalesce(sent.external_id, known.external_id) end as external_id,
        coalesce(sent.metadata, known.metadata, '{}') as metadata) as new
    cross join lateral (
      select case when sent.tag_ids is null then '{}'
          else array(select unnest(held.tag_ids) except select unnest(sent.tag_ids)) end as removed,
        array(select unnest(sent.tag_ids) except select unnest(held.tag_ids)) as added) as tag
    where (new.external_id, new.metadata) is distinct from (known.external_id, coalesce(known.metadata, '{}'))
      or tag.removed <> '{}' or tag.added <> '{}'), '[]');
end
$$;

grant execute on function app.plan_own_data to inventory_api;
