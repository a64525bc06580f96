-- Returns the own data of an import's hosts with the ids of the tags that it names, `tag_ids`. Aborts if a name is
-- unknown: only an Admin creates tags, so an import never does.
create or replace function app.resolved_tags(own_data jsonb) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  ids jsonb;
begin
  select coalesce(jsonb_object_agg(sent.name, app.tag_named(sent.name)), '{}') into ids
  from (
    select distinct tag.name
    from jsonb_to_recordset(own_data) as sent (tags jsonb), jsonb_array_elements_text(sent.tags) as tag (name)) as sent;
  perform app.abort('validation_failed', jsonb_build_object(
    'issues', jsonb_agg(unknown.issue order by unknown.nth) filter (where unknown.nth <= 100),
    'issue_count', count(*)))
  from (
    select row_number() over (order by sent.index, tag.position) as nth, jsonb_build_object(
      'path', format('body.hosts[%s].tags[%s]', sent.index, tag.position - 1), 'code', 'custom',
      'message', 'is not the name of a tag: an Admin can create it') as issue
    from jsonb_to_recordset(own_data) as sent (index int, tags jsonb),
      jsonb_array_elements_text(sent.tags) with ordinality as tag (name, position)
    where ids ->> tag.name is null) as unknown
  having count(*) > 0;
  return (
    select jsonb_agg(sent.value || case when jsonb_typeof(sent.value -> 'tags') = 'array' then jsonb_build_object(
      'tag_ids', (
        select coalesce(jsonb_agg(distinct ids ->> tag.name), '[]')
        from jsonb_array_elements_text(sent.value -> 'tags') as tag (name))) else '{}' end)
    from jsonb_array_elements(own_data) as sent);
end
$$;

grant execute on function app.resolved_tags to inventory_api;
