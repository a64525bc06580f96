-- The differences in the inventory between two instants, or between the ends of two scans: see section 11 of the API
-- contract. They are in the order (network, host, entity, label, id). The first `skipped` differences are left out, and
-- at most `maximum` are returned, or all if `maximum` is null.
--
-- The first rows are differences, as many as one response can hold. The last row is not a difference: it holds the
-- instants, the number of differences by kind, and the keys of the requested differences in base64, 17 bytes each: one
-- byte for the kind (in the order of app.change_kinds) and the change, then the id.
create or replace function app.diff(
  from_at timestamptz, from_scan uuid, to_at timestamptz, to_scan uuid, network uuid, entities text[],
  host uuid, skipped integer, maximum integer, whole boolean, maximum_bytes integer)
returns table (
  at timestamptz, entity text, entity_id uuid, host_id uuid, network_id uuid, label text, change text,
  before json, after json, actor_type text, actor_id uuid, actor_name text, request_id text,
  discovery_id uuid, host_label text, begins_at timestamptz, ends_at timestamptz, counts json, total_count integer, keys text)
language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  compared record;
  found record;
begin
  select * into compared from app.compared(from_at, from_scan, to_at, to_scan, network, entities, host) as known;
  -- Each statement in a volatile function has its own snapshot, so this one sees everything that is settled.
  with changed as materialized (
    select * from app.differences(compared.begins, compared.settled, network, entities, host)),
  -- Groups of records of one kind on one host. Only the listed records are sorted and get labels.
  folded as materialized (
    select changed.network_id, changed.host_id, changed.entity, changed.change, count(*) as size
    from changed group by changed.network_id, changed.host_id, changed.entity, changed.change),
  groups as materialized (
    select folded.network_id, folded.host_id, folded.entity, sum(folded.size) as size,
      sum(sum(folded.size)) over (order by folded.network_id, folded.host_id, folded.entity collate "C")
        - sum(folded.size) - skipped as passed
    from folded group by folded.network_id, folded.host_id, folded.entity),
  near as materialized (
    select * from groups where groups.passed + groups.size > 0 and (maximum is null or groups.passed < maximum)),
  members as materialized (
    select near.passed, changed.entity, changed.entity_id, changed.change, changed.label
    from near join changed on changed.network_id = near.network_id and changed.entity = near.entity
      and coalesce(changed.host_id, '00000000-0000-0000-0000-000000000000')
        = coalesce(near.host_id, '00000000-0000-0000-0000-000000000000')),
  labels as materialized (
    select kind.entity, named.id, named.label
    from (
      select members.entity, array_agg(members.entity_id) as ids from members
      where members.label is null group by members.entity) as kind
    cross join lateral app.labels_of(kind.entity, kind.ids, compared.begins, compared.settled) as named),
  ordered as materialized (
    select members.entity, members.change, members.entity_id,
      members.passed + row_number() over (
        partition by members.passed
        order by coalesce(members.label, labels.label) collate "C", members.entity_id) as place
    from members
    left join labels on labels.entity = members.entity and labels.id = members.entity_id),
  listed as materialized (
    select * from ordered where ordered.place > 0 and (maximum is null or ordered.place <= maximum)),
  first as materialized (
    select * from listed where listed.place <= 1000 order by listed.place),
  counted as materialized (
    select folded.entity, folded.change, sum(folded.size)::bigint as records from folded group by folded.entity, folded.change)
  select
    (select coalesce(sum(counted.records), 0)::integer from counted) as total_count,
    (select app.differences_by_kind(
        array_agg(counted.entity), array_agg(counted.change), array_agg(counted.records))
      from counted) as counts,
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
      compared.begins, compared.settled, found.entities, found.ids, found.changes, whole, maximum_bytes) as shown;
  perform app.require_history(compared.begins);
  at := null;
  begins_at := compared.begins;
  ends_at := app.end_of_comparison(compared.begins, compared.settled, compared.is_cut, network, entities, host);
  counts := found.counts;
  total_count := found.total_count;
  keys := coalesce(found.keys, '');
  return next;
end
$$;

grant execute on function app.diff to inventory_api;
