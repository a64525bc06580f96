-- The keys of changes after a position and up to `until`, in the order (at, entity, entity_id): up to `maximum` of
-- them, and one more if there are more. A change is an instant at which one version of a record begins, one ends, or
-- both. Indexes provide these instants without reading the tables. For a single network, at most `scanned` beginnings
-- and ends of each kind are read; `edge` is then the position where reading stopped.
create or replace function app.changed_between(
  after app.change_key, until timestamptz, maximum integer, scanned integer,
  network uuid, entities text[], host uuid, of_record uuid,
  out keys app.change_key[], out edge app.change_key)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  ends constant text :=
    '(case when version.valid_to is null then ''infinity''::timestamptz else version.valid_to end)';
  -- True if some of the entries that are read may not match.
  is_scan constant boolean := network is not null and host is null and of_record is null;
  kind record;
  start_at timestamptz;
  start_id uuid;
  condition text;
  branches text[] := '{}';
  looked_at record;
begin
  for kind in
    select * from app.change_kinds() as known
    where entities is null or known.entity = any (entities)
  loop
    -- The position at which each kind starts depends on the order of the entities. Of the kind's changes at the
    -- position's instant, either all, none, or only those with later ids are included.
    start_id := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
    start_at := after.at;
    if kind.entity collate "C" = after.entity then
      start_id := after.entity_id;
    elsif kind.entity collate "C" > after.entity then
      start_at := after.at - interval '1 millisecond';
    end if;
    condition := '';
    if of_record is not null then
      condition := format(' and version.live_id = %L and %s >= %L', of_record, ends, start_at);
    end if;
    if host is not null then
      continue when app.may_be_of_host(kind.entity, '') is null;
      condition := condition || format(
        ' and %s and %s >= %L', app.may_be_of_host(kind.entity, quote_literal(host)), ends, start_at);
    end if;
    branches := branches || array(
      select format('(
        select version.%1$I as at, %2$L::text collate "C" as entity, version.live_id as entity_id,
          %3$s as fits, %4$s as is_last
        from public.%5$I as version
        where version.valid_to is %6$s and (version.%1$I, version.live_id) > (%7$L, %8$L)
          and version.%1$I <= %9$L%10$s
        order by version.%1$I, version.live_id limit %11$s)',
        branch.at, kind.entity,
        case when network is null then 'true' else format('version.network_id = %L', network) end,
        case when is_scan
          then format('row_number() over (order by version.%I, version.live_id) = %s', branch.at, scanned)
          else 'false' end,
        kind.relation, branch.state, start_at, start_id, until,
        condition || case when host is not null then format(' and %s = %L', format(kind.host_id, branch.host_at), host)
          else '' end || case when network is not null and not is_scan
          then format(' and version.network_id = %L', network) else '' end,
        case when is_scan then scanned else maximum + 1 end)
      from (values
          ('valid_from', 'null', 'version.valid_from'), ('valid_from', 'not null', 'version.valid_from'),
          ('valid_to', 'not null', '(version.valid_to - interval ''1 millisecond'')'))
        as branch (at, state, host_at));
  end loop;
  if branches = '{}' then
    keys := '{}';
    return;
  end if;
  -- Reads enough of the first entries to cover the first changes, since each change has at most two entries. The
  -- branches are merged by instant, so none is read further than needed. Entries of the last instant may come in a
  -- different order.
  execute format('
    with entries as materialized (
      select branch.at, branch.entity, branch.entity_id, branch.fits, branch.is_last from (%s) as branch
      where branch.fits or branch.is_last
      order by branch.at fetch first %s rows with ties),
    edge as materialized (
      select at, entity, entity_id from entries where is_last order by at, entity, entity_id limit 1)
    select array(
      select (entry.at, entry.entity, entry.entity_id)::app.change_key
      from (
        select distinct at, entity, entity_id from entries
        where fits and not exists (
          select from edge where (edge.at, edge.entity, edge.entity_id)
            < (entries.at, entries.entity, entries.entity_id))
        order by at, entity, entity_id limit %s) as entry
      order by entry.at, entry.entity, entry.entity_id) as keys,
      (select (edge.at, edge.entity, edge.entity_id)::app.change_key from edge) as edge',
    array_to_string(branches, ' union all '), 2 * (maximum + 1), maximum + 1)
  into looked_at;
  keys := looked_at.keys;
  edge := looked_at.edge;
end
$$;

grant execute on function app.changed_between to inventory_api;
