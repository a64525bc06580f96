-- The changes with these keys, in the order of the keys: the kind of change, and the record before and after it.
-- Without `whole`, records are returned only if there are two to compare. `before` also contains the `label` of the
-- record before the change. `host_label` is the name of the host after the change, or before it if the host ends with
-- the change. A version that ended before the history of the organization begins is treated as deleted.
create or replace function app.changes_of(keys app.change_key[], whole boolean)
returns table (
  at timestamptz, entity text, entity_id uuid, host_id uuid, network_id uuid, label text, change text,
  before json, after json, actor_type text, actor_id uuid, actor_name text, request_id text,
  discovery_id uuid, host_label text)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  ends constant text :=
    'case when %1$s.valid_to is null then ''infinity''::timestamptz else %1$s.valid_to end';
  version_ends constant text := format(ends, 'version');
  record constant text := format('(select row_to_json(shown) from (select %s%%s) as shown)',
    case when whole then 'version.live_id as id, version.network_id, version.created_at, version.valid_from, ' end);
  selects text[];
begin
  selects := array(
    select format('
      select key.at, key.entity, key.entity_id, coalesce(later.host_id, former.host_id),
        coalesce(later.network_id, former.network_id), coalesce(later.label, former.label),
        case when later.id is null then ''deleted'' when former.id is not null then ''updated''
          when later.is_back then ''returned'' else ''created'' end,
        case when $2 or later.id is not null then former.record end,
        later.record
      from unnest($1) as key
      left join lateral (
        select version.id, version.network_id, %11$s as host_id, named.label, %12$s as record
        from public.%2$I as version
        cross join lateral (select %10$s as label offset 0) as named
        where version.live_id = key.entity_id and %7$s = key.at
        limit 1) as former on true
      left join lateral (
        select version.id, version.network_id, %3$s as host_id, %5$s as label,
          case when $2 or former.id is not null then %6$s end as record,
          former.id is null and exists (
            select from public.%2$I as other
            where %4$s and other.valid_to <= key.at and %8$s <= key.at and other.valid_to > $3
              and not exists (
                select from public.%2$I as next
                where next.live_id = other.live_id and next.valid_from = other.valid_to
                  and %9$s > other.valid_to)) as is_back
        from public.%2$I as version
        where version.live_id = key.entity_id and version.valid_from = key.at and %7$s > key.at
        limit 1) as later on true
      where key.entity = %1$L',
      kind.entity, kind.relation, format(kind.host_id, 'key.at'), kind.is_same, format(kind.label, 'key.at'),
      format(record, kind.fields),
      version_ends, format(ends, 'other'), format(ends, 'next'),
      format(kind.label, '(key.at - interval ''1 millisecond'')'),
      format(kind.host_id, '(key.at - interval ''1 millisecond'')'),
      format(record, kind.fields || ', named.label'))
    from app.change_kinds() as kind
    where kind.entity in (select distinct key.entity from unnest(keys) as key));
  if selects = '{}' then
    return;
  end if;
  return query execute format('
    select found.*, made.actor_type, made.actor_id, made.actor_name, made.request_id, made.discovery_id,
      coalesce(home.label, ended.name)
    from (%1$s offset 0) as found (
      at, entity, entity_id, host_id, network_id, label, change, before, after)
    left join lateral (
      select * from public.transactions as stamped
      where stamped.organization_id = (select app.organization_id()) and stamped.changed_at = found.at
      limit 1) as made on true
    left join lateral (%2$s) as home on true
    left join lateral (
      select former.name from public.hosts as former
      where home.label is null and former.live_id = found.host_id and %3$s = found.at
      limit 1) as ended on true
    order by found.at, found.entity collate "C", found.entity_id',
    array_to_string(selects, ' union all '),
    app.version_at('hosts', 'null', 'version.name', 'null', 'found.host_id', 'found.at'), format(ends, 'former'))
  using keys, whole, coalesce(app.history_from(app.organization_id()), '-infinity');
end
$$;

grant execute on function app.changes_of to inventory_api;
