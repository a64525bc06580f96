-- The number of changes in each of `parts` equal parts of the interval between two instants: see section 11 of the API
-- contract. Without `from_at`, the interval begins immediately before the first kept change that matches or, if there
-- is none, when the organization or its kept history begins. Parts without changes are left out.
--
-- Beyond the maximum number of changes, `is_estimate` is true. The changes are then not counted, and each part has at
-- least the number of transactions that `maximum_steps` allows.
create or replace function app.histogram(
  from_at timestamptz, to_at timestamptz, parts integer, networks uuid[], entities text[], host uuid)
returns table (
  begins_at timestamptz, ends_at timestamptz, interval_ms float8, is_estimate boolean, buckets json)
language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  maximum constant integer := app.maximum_changes_of_histogram();
  -- Maximum number of index look-ups for an estimate, over all parts and indexes.
  maximum_steps constant integer := 100000;
  organization constant uuid := app.organization_id();
  oldest constant timestamptz := app.history_from(organization);
  boundaries_read constant integer := (select count(*) from app.boundaries(networks, entities, host));
  until record;
  -- The instants of the first and the last change.
  first_at timestamptz;
  last_at timestamptz;
  milliseconds bigint;
  part interval;
  counted integer := 0;
begin
  until := app.settled_until(coalesce(to_at, 'infinity'));
  if boundaries_read > 0 and (from_at is null or until.is_cut) then
    -- A host's changes are few and far apart in chronological order, so the planner must not search for the first one
    -- in that order.
    execute (
      select format('select min(found.first_at), max(found.last_at) from (%s) as found (first_at, last_at)',
        string_agg(format(case when host is not null then '
          select min(boundary.at), max(boundary.at)
          from (select %1$s as at from %2$s and %1$s > $1 and %1$s <= $2 offset 0) as boundary' else '
          select (select %1$s from %2$s and %1$s > $1 and %1$s <= $2 order by %1$s limit 1),
            (select %1$s from %2$s and %1$s > $1 and %1$s <= $2 order by %1$s desc limit 1)' end,
          boundary.instant, boundary.source), ' union all '))
      from app.boundaries(networks, entities, host) as boundary)
    into first_at, last_at using coalesce(from_at, oldest, '-infinity'), until.settled, networks, host;
  end if;
  begins_at := coalesce(from_at, first_at - interval '1 millisecond', (
    select least(until.settled, greatest(known.created_at, oldest))
    from public.organizations as known where known.id = organization));
  -- As in app.diff, transactions in progress must not reveal changes that the key cannot see.
  ends_at := greatest(begins_at, case when until.is_cut then last_at else until.settled end);
  milliseconds := greatest(1, ceil(extract(epoch from ends_at - begins_at) * 1000 / parts));
  interval_ms := milliseconds;
  part := make_interval(
    hours => (milliseconds / 3600000)::integer, secs => (milliseconds % 3600000)::double precision / 1000);
  -- An update is both an end and a beginning.
  if boundaries_read > 0 then
    execute (
      select format('select count(*)::integer from (%s limit $5) as boundary',
        string_agg(format('select from %2$s and %1$s > $1 and %1$s <= $2', boundary.instant, boundary.source),
          ' union all '))
      from app.boundaries(networks, entities, host) as boundary)
    into counted using begins_at, ends_at, networks, host, 2 * maximum + 1;
  end if;
  is_estimate := counted > 2 * maximum;
  if counted > 0 and not is_estimate then
    -- Indexes provide the beginnings and ends in order, so they are counted, and joined to updates, without being
    -- sorted. What remains is one row for each transaction and index.
    perform set_config('work_mem', '32MB', true);
    execute (
      select format('
        select json_agg(row_to_json(bucket) order by bucket.at),
          sum(bucket.begun + bucket.changed + bucket.ended)::integer
        from (
          select date_bin($5, found.at - interval ''1 millisecond'', $1) as at,
            sum(found.beginnings - found.updates) as begun, sum(found.updates) as changed,
            sum(found.ends - found.updates) as ended, count(*) as transactions, min(found.at) as first_at,
            max(found.at) as last_at
          from (
            select instant.at, sum(instant.beginnings)::integer as beginnings, sum(instant.ends)::integer as ends,
              sum(instant.updates)::integer as updates
            from (%s) as instant (at, beginnings, ends, updates) group by instant.at) as found
          group by 1) as bucket', string_agg(part_of.counts, ' union all '))
      from (
        select format('select %1$s, %3$s, 0 from %2$s and %1$s > $1 and %1$s <= $2 group by 1', boundary.instant,
          boundary.source, case when boundary.is_beginning then 'count(*)::integer, 0' else '0, count(*)::integer' end) as counts
        from app.boundaries(networks, entities, host) as boundary
        union all
        select format('
          select ended.at, 0, 0, count(*)::integer
          from (select %1$s as at, version.live_id from %2$s and %1$s > $1 and %1$s <= $2) as ended
          join (select %3$s as at, version.live_id from %4$s and %3$s > $1 and %3$s <= $2) as begun
            on begun.at = ended.at and begun.live_id = ended.live_id
          group by 1', ended.instant, ended.source, begun.instant, begun.source)
        from app.boundaries(networks, entities, host) as ended
        join app.boundaries(networks, entities, host) as begun on begun.entity = ended.entity and begun.is_beginning
        where not ended.is_beginning) as part_of)
    into buckets, counted using begins_at, ends_at, networks, host, part;
    is_estimate := counted > maximum;
  end if;
  if is_estimate then
    -- Steps from each instant to the next one, so that a transaction with many changes costs one look-up per index.
    execute (
      select format('
        select json_agg(row_to_json(bucket) order by bucket.at)
        from (
          select date_bin($5, found.at - interval ''1 millisecond'', $1) as at, null as begun, null as changed,
            null as ended, count(distinct found.at) as transactions, min(found.at) as first_at,
            max(found.at) as last_at
          from (
            select $1 + nth * $5 as begins, least($2, $1 + (nth + 1) * $5) as ends
            from generate_series(0, $6 - 1) as nth) as part
          cross join lateral (%s) as found
          where found.at is not null
          group by 1) as bucket', string_agg(format('
            (with recursive step (at, nth) as (
              select (
                select %1$s from %2$s and %1$s > part.begins and %1$s <= part.ends order by %1$s limit 1), 1
              union all
              select (
                select %1$s from %2$s and %1$s > step.at and %1$s <= part.ends order by %1$s limit 1), step.nth + 1
              from step where step.at is not null and step.nth < $7)
            select step.at from step
            union all
            select (
              select %1$s from %2$s and %1$s > part.begins and %1$s <= part.ends order by %1$s desc limit 1))',
            boundary.instant, boundary.source), ' union all '))
      from app.boundaries(networks, entities, host) as boundary)
    into buckets using begins_at, ends_at, networks, host, part, parts,
      greatest(1, maximum_steps / (boundaries_read * parts));
  end if;
  buckets := coalesce(buckets, '[]');
  if from_at is null then
    perform app.refuse_moved_history(oldest);
  end if;
  perform app.require_history(begins_at);
  return next;
end
$$;

grant execute on function app.histogram to inventory_api;
