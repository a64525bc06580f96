-- The records that differ between two instants, and how: 'added', 'removed', 'changed' or 'returned'. A record that was
-- created and deleted in between, or that is unchanged, does not differ. The result can be limited to a network, to
-- some kinds, or to records that were on a host at one of the instants.
--
-- A record differs if a version that was valid at the first instant has ended by the second, or if a version that is
-- valid at the second has begun since the first. Indexes find both without reading unchanged records. The two sets of
-- versions are joined, since two look-ups for each record would take minutes if a million records differed. The kinds
-- are compared one after another, so that the memory used for one kind is freed before the next. Labels that require
-- look-ups of their own are left to app.labels_of.
create or replace function app.differences(
  from_at timestamptz, to_at timestamptz, network uuid, entities text[], host uuid)
returns table (network_id uuid, host_id uuid, entity text, label text, entity_id uuid, change text)
language plpgsql stable rows 1000 set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  ends constant text := 'case when %1$s.valid_to is null then ''infinity''::timestamptz else %1$s.valid_to end';
  -- Conditions on versions, one for each index: those that have ended since, and those that have begun.
  of_former constant text := 'version.valid_to > $1 and version.valid_to <= $2 and version.valid_from <= $1';
  of_later constant text[] := array[
    'version.valid_to is null and version.valid_from > $1 and version.valid_from <= $2',
    'version.valid_to > $2 and version.valid_from > $1 and version.valid_from <= $2'];
  kind record;
  former text;
  later text;
begin
  for kind in
    select known.*, (
        select string_agg(' and ' || condition, '')
        from unnest(array[
          case when network is not null then 'version.network_id = $4' end,
          -- A part of a host may have been on another host at one of the instants.
          case when host is not null then format('version.live_id = any (array(
            select version.live_id from public.%I as version where %s and %s > $1 and version.valid_from <= $2))',
            known.relation, app.may_be_of_host(known.entity, '$3'), format(ends, 'version')) end]) as condition) as narrowed,
      -- A binding's host depends on the instant: it is the service's host.
      case when known.host_id like '%\%1$s%' then 'home.host_id' else known.host_id end as own_host,
      case when known.host_id like '%\%1$s%' then format('
        left join public.services as home on home.live_id = version.service_id and home.valid_from <= %%1$s and %s > %%1$s',
        format(ends, 'home')) else '' end as join_host,
      case when known.label like '%\%1$s%' then 'null' else known.label end as own_label,
      format('(select row_to_json(shown)::text from (select %s) as shown)', known.fields) as record
    from app.change_kinds() as known
    where (entities is null or known.entity = any (entities))
      and (host is null or app.may_be_of_host(known.entity, '$3') is not null)
  loop
    former := format('
      select version.live_id, version.network_id, %s as host_id, %s::text as label, %s as record
      from public.%I as version%s where %s%s',
      kind.own_host, kind.own_label, kind.record, kind.relation, format(kind.join_host, '$1'), of_former, kind.narrowed);
    later := (
      select string_agg(format('
        select version.live_id, version.valid_from, version.network_id, %s as host_id, %s::text as label, %s as record
        from public.%I as version%s where %s%s',
        kind.own_host, kind.own_label, kind.record, kind.relation, format(kind.join_host, '$2'), condition, kind.narrowed),
        ' union all ')
      from unnest(of_later) as condition);
    return query execute format('
      select later.network_id, later.host_id, %1$L::text, later.label, later.live_id, ''changed''
      from (%2$s) as former join (%3$s) as later on later.live_id = former.live_id
      where former.record <> later.record%4$s', kind.entity, former, later,
      case when host is not null then ' and (former.host_id = $3 or later.host_id = $3)' end)
    using from_at, to_at, host, network;
    return query execute format('
      select former.network_id, former.host_id, %1$L::text, former.label, former.live_id, ''removed''
      from (%2$s) as former
      where not exists (
        select from public.%3$I as version where version.live_id = former.live_id and version.valid_from > $1
          and version.valid_from <= $2 and %4$s > $2)%5$s', kind.entity, former, kind.relation, format(ends, 'version'),
      case when host is not null then ' and former.host_id = $3' end)
    using from_at, to_at, host, network;
    -- Few records have returned, so records that have the natural key of a deleted record are checked one by one.
    return query execute format('
      select later.network_id, later.host_id, %1$L::text, later.label, later.live_id,
        case when known.live_id is not null and exists (
            select from (
              select begun.* from public.%2$I as begun
              where begun.live_id = later.live_id and begun.valid_from > $1 and begun.valid_from <= $2
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
                and %5$s > other.valid_to))
          then ''returned'' else ''added'' end
      from (%6$s) as later
      left join (
        select distinct version.live_id from (
          select version.* from public.%2$I as version
          where version.valid_to is null and version.valid_from > $1 and version.valid_from <= $2%8$s
          union all
          select version.* from public.%2$I as version
          where version.valid_to is not null and version.valid_from > $1 and version.valid_from <= $2%8$s) as version
        where exists (
          select from public.%2$I as other
          where %3$s and other.valid_to is not null and other.valid_to <= version.valid_from and other.valid_to > $5
            and not exists (
              select from public.%2$I as next
              where next.live_id = other.live_id and next.valid_from = other.valid_to))
          and not exists (
            select from public.%2$I as before
            where before.live_id = version.live_id and before.valid_to = version.valid_from)
      ) as known on known.live_id = later.live_id
      where not exists (
        select from public.%2$I as version where version.live_id = later.live_id and %7$s)%9$s',
      kind.entity, kind.relation, kind.is_same, format(ends, 'other'), format(ends, 'next'), later, of_former,
      kind.narrowed, case when host is not null then ' and later.host_id = $3' end)
    using from_at, to_at, host, network, coalesce(app.history_from(app.organization_id()), '-infinity');
  end loop;
end
$$;

grant execute on function app.differences to inventory_api;
