-- The differences in records between two instants, as app.differences found them, in the given order: as many as fit in
-- about `maximum_bytes` of JSON, and at least one. Without `whole`, `before` and `after` are null unless the record
-- exists at both instants. `before` also contains the `label` of the record at the first instant.
create or replace function app.differences_of(
  from_at timestamptz, to_at timestamptz, entities text[], ids uuid[], changes text[], whole boolean,
  maximum_bytes integer)
returns table (
  at timestamptz, entity text, entity_id uuid, host_id uuid, network_id uuid, label text, change text,
  before json, after json, actor_type text, actor_id uuid, actor_name text, request_id text,
  discovery_id uuid, host_label text)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_variable
declare
  selects text[];
  bytes integer := 0;
  is_first boolean := true;
begin
  selects := array(
    select format('
      select wanted.position, coalesce(later.valid_from, (
          select max(version.valid_to) from public.%2$I as version
          where version.live_id = wanted.id and version.valid_to > $1 and version.valid_to <= $2)) as at,
        wanted.entity, wanted.id as entity_id, coalesce(later.host_id, former.host_id) as host_id,
        coalesce(later.network_id, former.network_id) as network_id, coalesce(later.label, former.label) as label,
        wanted.change,
        case when $6 or later.id is not null then former.record end as before,
        case when $6 or former.id is not null then later.record end as after
      from unnest($3, $4, $5) with ordinality as wanted (entity, id, change, position)
      left join lateral (%3$s) as former on true
      left join lateral (%4$s) as later on true
      where wanted.entity = %1$L',
      kind.entity, kind.relation,
      app.version_at(kind.relation, kind.host_id, kind.label, format(shown.record, ', named.label'), 'wanted.id', '$1'),
      app.version_at(kind.relation, kind.host_id, kind.label, format(shown.record, ''), 'wanted.id', '$2'))
    from app.change_kinds() as kind
    cross join lateral (
      select format('(select row_to_json(shown) from (select %s%s%%s) as shown)',
        case when whole
          then 'version.live_id as id, version.network_id, version.created_at, version.valid_from, ' end,
        kind.fields) as record) as shown
    where kind.entity = any (entities));
  if selects = '{}' then
    return;
  end if;
  for at, entity, entity_id, host_id, network_id, label, change, before, after, actor_type, actor_id,
    actor_name, request_id, discovery_id, host_label in
    execute format('
      select found.at, found.entity, found.entity_id, found.host_id, found.network_id, found.label, found.change,
        found.before, found.after, made.actor_type, made.actor_id, made.actor_name, made.request_id,
        made.discovery_id, home.name
      from (%s) as found
      left join lateral (
        select * from public.transactions as stamped
        where stamped.organization_id = (select app.organization_id()) and stamped.changed_at = found.at
        limit 1) as made on true
      left join lateral (
        select host.name from public.hosts as host
        where host.live_id = found.host_id and host.valid_from <= $2
          and case when host.valid_to is null then ''infinity''::timestamptz else host.valid_to end > $1
        order by case when host.valid_to is null then ''infinity''::timestamptz else host.valid_to end desc
        limit 1) as home on true
      order by found.position', array_to_string(selects, ' union all '))
    using from_at, to_at, entities, ids, changes, whole
  loop
    bytes := bytes + coalesce(octet_length(before::text), 0) + coalesce(octet_length(after::text), 0) + 600;
    exit when bytes > maximum_bytes and not is_first;
    is_first := false;
    return next;
  end loop;
end
$$;

grant execute on function app.differences_of to inventory_api;
