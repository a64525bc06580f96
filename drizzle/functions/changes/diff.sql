-- What became of the inventory between two instants, or the ends of two scans: section 11 of the API contract. In the
-- order (network, host, entity, label, id), behind so many that are `skipped`, `maximum` of them, or all without one.
--
-- The first rows are differences, as many as one answer may hold. The last one is none: it has the instants, how many
-- there are, by kind, and where those lie that were asked for, 17 bytes each, in base64: one for the kind, in the
-- order of app.change_kinds, and what became of it, then the id.
create or replace function app.diff(
  from_at timestamptz, from_scan uuid, to_at timestamptz, to_scan uuid, network uuid, entities text[],
  host uuid, skipped integer, maximum integer, whole boolean, maximum_bytes integer)
returns table (
  at timestamptz, entity text, entity_id uuid, host_id uuid, network_id uuid, label text, change text,
  before json, after json, actor_type text, actor_id uuid, actor_name text, request_id text,
  discovery_id uuid, begins_at timestamptz, ends_at timestamptz, counts json, total_count integer, keys text)
language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  begins constant timestamptz := case when from_scan is null then from_at
    else app.instant_of_scan(from_scan, 'from_session') end;
  asked constant timestamptz := case when to_scan is null then coalesce(to_at, 'infinity')
    else app.instant_of_scan(to_scan, 'to_session') end;
  until record;
  found record;
begin
  if asked < begins then
    perform app.abort('validation_failed', jsonb_build_object('issue_count', 1, 'issues',
      jsonb_build_array(jsonb_build_object('path', case when to_scan is null then 'query.to' else 'query.to_session' end,
        'code', 'custom', 'message', 'must not be before what is compared with'))));
  end if;
  until := app.settled_until(asked);
  -- Each statement of a volatile function has a snapshot of its own: this one sees all that is settled.
  with changed as materialized (
    select * from app.differences(begins, until.settled, network, entities, host)),
  ordered as materialized (
    select changed.entity, changed.change, changed.entity_id, row_number() over (
      order by changed.network_id, changed.host_id, changed.entity collate "C", changed.label collate "C",
        changed.entity_id) - skipped as place
    from changed where changed.change is not null),
  listed as materialized (
    select * from ordered where ordered.place > 0 and (maximum is null or ordered.place <= maximum)),
  first as materialized (
    select * from listed where listed.place <= 1000 order by listed.place)
  select
    (select max(changed.at) from changed) as changed_at,
    (select count(*)::integer from ordered) as total_count,
    (select json_object_agg(kind.entity, (
        select json_build_object(
          'added', count(*) filter (where ordered.change = 'added'),
          'removed', count(*) filter (where ordered.change = 'removed'),
          'changed', count(*) filter (where ordered.change = 'changed'),
          'returned', count(*) filter (where ordered.change = 'returned'))
        from ordered where ordered.entity = kind.entity))
      from app.change_kinds() as kind) as counts,
    (select encode(string_agg(
        set_byte('\x00', 0, 4 * (kind.place::integer - 1)
          + array_position(array['added', 'removed', 'changed', 'returned'], listed.change) - 1)
          || uuid_send(listed.entity_id), '' order by listed.place), 'base64')
      from listed
      join (select entity, row_number() over () as place from app.change_kinds()) as kind
        on kind.entity = listed.entity) as keys,
    (select array_agg(first.entity order by first.place) from first) as entities,
    (select array_agg(first.entity_id order by first.place) from first) as ids,
    (select array_agg(first.change order by first.place) from first) as changes
  into found;
  return query
    select shown.*, null::timestamptz, null::timestamptz, null::json, null::integer, null::text
    from app.differences_of(
      begins, until.settled, found.entities, found.ids, found.changes, whole, maximum_bytes) as shown;
  perform app.require_history(begins);
  at := null;
  -- What is under way may lie on networks that the key does not reach: it sees up to where it has seen something.
  ends_at := greatest(begins, case when until.is_cut then found.changed_at else until.settled end);
  begins_at := begins;
  counts := found.counts;
  total_count := found.total_count;
  keys := coalesce(found.keys, '');
  return next;
end
$$;

grant execute on function app.diff(
  timestamptz, uuid, timestamptz, uuid, uuid, text[], uuid, integer, integer, boolean, integer) to inventory_api;
