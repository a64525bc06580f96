-- The numbers of differences of each kind, as a comparison returns them: an object with the kinds, each with its numbers
-- of added, removed, changed and returned records. The arguments have an element for each kind and change.
create or replace function app.differences_by_kind(entities text[], changes text[], numbers bigint[]) returns json
language sql stable parallel safe set search_path = pg_catalog, pg_temp as $$
  select json_object_agg(kind.entity, (
    select json_build_object(
      'added', coalesce(max(counted.number) filter (where counted.change = 'added'), 0),
      'removed', coalesce(max(counted.number) filter (where counted.change = 'removed'), 0),
      'changed', coalesce(max(counted.number) filter (where counted.change = 'changed'), 0),
      'returned', coalesce(max(counted.number) filter (where counted.change = 'returned'), 0))
    from unnest(entities, changes, numbers) as counted (entity, change, number)
    where counted.entity = kind.entity))
  from app.change_kinds() as kind
$$;

grant execute on function app.differences_by_kind to inventory_api;
