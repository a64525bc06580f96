-- The changes of one record before a position, newest first, at most `maximum`: see section 11 of the API contract.
-- With `with_children`, a host's changes include the changes of the records that belong to it. The last row is not a
-- change: it holds `has_more`, and the position from which to continue. Aborts the transaction if the caller cannot see
-- any version of the record. Changes at the instant at which the organization's history begins are left out, because
-- the state before that instant is not kept.
create or replace function app.timeline(
  of_organization uuid, of_entity text, of_record uuid, with_children boolean, before_at timestamptz,
  before_entity text, before_id uuid, maximum integer, whole boolean)
returns table (
  at timestamptz, entity text, entity_id uuid, host_id uuid, network_id uuid, label text, change text,
  before json, after json, actor_type text, actor_id uuid, actor_name text, request_id text,
  discovery_id uuid, host_label text, has_more boolean)
language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_variable
declare
  settled constant timestamptz := coalesce(app.settled_at(), '0001-01-01T00:00:00Z');
  oldest constant timestamptz := app.history_from(app.organization_id());
  begins constant timestamptz := coalesce(oldest, '-infinity');
  place app.change_key := (before_at, before_entity, before_id);
  keys app.change_key[];
  ends constant text := '(case when version.valid_to is null then ''infinity''::timestamptz else version.valid_to end)';
  ended text;
  begun text;
  is_known boolean;
  -- Approximate maximum size of a page's JSON. A page has at least one change, however large it is.
  maximum_bytes constant integer := 1048576;
  bytes integer := 0;
  shown integer := 0;
begin
  if of_organization <> app.organization_id() then
    perform app.abort('validation_failed', jsonb_build_object('issue_count', 1, 'issues',
      jsonb_build_array(jsonb_build_object('path', 'query.cursor', 'code', 'custom', 'message',
        'is a cursor of another organization: omit it to start again'))));
  end if;
  if before_at <= begins then
    perform app.refuse_expired('cursor_expired');
  end if;
  if before_at is null then
    place := (settled, '~', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  end if;
  execute (
    select format('
      select exists (
        select from public.%I as version
        where version.live_id = $1
          and case when version.valid_to is null then ''infinity''::timestamptz else version.valid_to end > $2)',
      kind.relation)
    from app.change_kinds() as kind where kind.entity = of_entity)
  into is_known using of_record, begins;
  if not is_known then
    perform app.abort('entity_not_found', jsonb_build_object('entity', of_entity, 'id', of_record));
  end if;
  -- Reads the newest ends using an index. Versions that begin before the earliest of these ends are on a later page,
  -- and versions that begin after it also end after it.
  select string_agg(format('(
      select %1$s as at, %2$L::text collate "C" as entity, version.live_id as entity_id
      from public.%3$I as version
      where %4$s and %1$s <= $2 and %1$s > $7
        and (%1$s < $2 or (%2$L collate "C", version.live_id) < ($3 collate "C", $4))
      order by %1$s desc fetch first %5$s rows with ties)',
      ends, kind.entity, kind.relation, is_of.conditions[1], maximum + 1), ' union all '),
    string_agg(format('
      select version.valid_from, %2$L::text collate "C", version.live_id
      from public.%3$I as version
      where %4$s and %1$s > (select last.at from last)
        and version.valid_from >= (select last.at from last) and version.valid_from <= $2
        and version.valid_from > $7',
      ends, kind.entity, kind.relation, is_of.conditions[2]), ' union all ')
  into ended, begun
  from app.change_kinds() as kind
  cross join lateral (
    select array_agg(
      case when kind.entity = of_entity then 'version.live_id = $1'
        else format('%s and %s = $1', app.may_be_of_host(kind.entity, '$1'), format(kind.host_id, moment.instant)) end
      order by moment.position) as conditions
    from (values (1, '(version.valid_to - interval ''1 millisecond'')'), (2, 'version.valid_from'))
      as moment (position, instant)) as is_of
  where kind.entity = of_entity
    or (of_entity = 'Host' and with_children and app.may_be_of_host(kind.entity, '$1') is not null);
  execute format('
    with ended as materialized (%1$s),
    last as materialized (
      select coalesce(
        (select ended.at from ended order by ended.at desc offset %2$s limit 1), ''-infinity'') as at)
    select array(
      select (found.at, found.entity, found.entity_id)::app.change_key
      from (
        select distinct at, entity, entity_id from (table ended union all %3$s) as boundaries
        where (at, entity, entity_id) < ($2, $3 collate "C", $4) and at <= $5
        order by at desc, entity desc, entity_id desc limit $6) as found
      order by found.at desc, found.entity desc, found.entity_id desc)',
    ended, maximum, begun)
  into keys using of_record, place.at, place.entity, place.entity_id, settled, maximum + 1, begins;
  for at, entity, entity_id, host_id, network_id, label, change, before, after, actor_type, actor_id,
    actor_name, request_id, discovery_id, host_label in
    select * from app.changes_of(keys[1:maximum], whole) as found
    order by found.at desc, found.entity collate "C" desc, found.entity_id desc
  loop
    bytes := bytes + coalesce(octet_length(before::text), 0) + coalesce(octet_length(after::text), 0);
    exit when shown > 0 and bytes > maximum_bytes;
    shown := shown + 1;
    place := (at, entity, entity_id);
    return next;
  end loop;
  perform app.refuse_moved_history(oldest);
  at := place.at;
  entity := place.entity;
  entity_id := place.entity_id;
  change := null;
  before := null;
  after := null;
  has_more := cardinality(keys) > shown;
  return next;
end
$$;

grant execute on function app.timeline to inventory_api;
