-- The records that changed between two instants, and what became of each in all: 'added', 'removed', 'changed',
-- 'returned', or null where it came and went or is as it was. `at` is when it changed last. Only those in a network, of
-- some kinds, or on a host at one of the instants.
--
-- Indexes tell which records changed, without a look at those that did not.
create or replace function app.differences(
  from_at timestamptz, to_at timestamptz, network uuid, entities text[], host uuid)
returns table (
  network_id uuid, host_id uuid, entity text, label text, entity_id uuid, at timestamptz, change text)
language plpgsql stable rows 1000 set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  ends constant text := 'case when %1$s.valid_to is null then ''infinity''::timestamptz else %1$s.valid_to end';
  -- Which versions began or ended, each by an index.
  of_all constant text[] := array[
    'version.valid_to is null and version.valid_from > $1 and version.valid_from <= $2',
    'version.valid_to is not null and version.valid_from > $1 and version.valid_from <= $2',
    'version.valid_to > $1 and version.valid_to <= $2'];
  of_host constant text := format(
    '%1$s > $1 and version.valid_from <= $2 and (version.valid_from > $1 or %1$s <= $2)', format(ends, 'version'));
  selects text[];
begin
  selects := array(
    select format('
      select coalesce(later.network_id, former.network_id), coalesce(later.host_id, former.host_id), %1$L::text,
        coalesce(later.label, former.label), changed.id,
        coalesce(later.valid_from, (
          select max(version.valid_to) from public.%2$I as version
          where version.live_id = changed.id and version.valid_to > $1 and version.valid_to <= $2)),
        case
          when former.id is not null and later.id is not null then
            case when former.record <> later.record then ''changed'' end
          when former.id is not null then ''removed''
          when later.id is not null then case when exists (
            select from (
              select begun.* from public.%2$I as begun
              where begun.live_id = changed.id and begun.valid_from > $1 and begun.valid_from <= $2
                and not exists (
                  select from public.%2$I as before
                  where before.live_id = begun.live_id and before.valid_to = begun.valid_from)
              order by begun.valid_from desc limit 1) as version
            join public.%2$I as other
              on %3$s and other.valid_to <= version.valid_from and %4$s <= version.valid_from
                and other.valid_to > $5
            where not exists (
              select from public.%2$I as next
              where next.live_id = other.live_id and next.valid_from = other.valid_to
                and %5$s > other.valid_to)) then ''returned'' else ''added'' end
        end
      from (%6$s) as changed
      left join lateral (%7$s) as former on true
      left join lateral (%8$s) as later on true%9$s',
      kind.entity, kind.relation, kind.is_same, format(ends, 'other'), format(ends, 'next'), (
        select string_agg(
          format('
            select version.live_id as id from public.%I as version where %s%s%s', kind.relation, condition,
            case when host is not null then ' and ' || app.may_be_of_host(kind.entity, '$3') end,
            case when network is not null then ' and version.network_id = $4' end),
          ' union ')
        from unnest(case when host is null then of_all else array[of_host] end) as condition),
      app.version_at(kind.relation, kind.host_id, kind.label, shown.record, 'changed.id', '$1'),
      app.version_at(kind.relation, kind.host_id, kind.label, shown.record, 'changed.id', '$2'),
      case when host is not null then ' where former.host_id = $3 or later.host_id = $3' end)
    from app.change_kinds() as kind
    cross join lateral (
      select format('(select row_to_json(shown)::text from (select %s) as shown)', kind.fields) as record) as shown
    where (entities is null or kind.entity = any (entities))
      and (host is null or app.may_be_of_host(kind.entity, '$3') is not null));
  if selects <> '{}' then
    return query execute array_to_string(selects, ' union all ') using from_at, to_at, host, network,
      coalesce(app.history_from(app.organization_id()), '-infinity');
  end if;
end
$$;

grant execute on function app.differences(timestamptz, timestamptz, uuid, text[], uuid) to inventory_api;
