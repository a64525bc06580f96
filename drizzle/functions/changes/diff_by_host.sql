-- The number of differences that app.diff finds on each host, in the order (network, host). Subnets are on no host. The
-- first `skipped` hosts are left out, and at most `maximum` are returned, or all if `maximum` is null.
--
-- `counts` and `keys` are as in app.diff: 32 bytes for each host, its id and the numbers of its differences that are
-- 'added', 'removed', 'changed' and 'returned'. `labels` are the names of the first hosts, as many as one chunk holds.
create or replace function app.diff_by_host(
  from_at timestamptz, from_scan uuid, to_at timestamptz, to_scan uuid, network uuid, entities text[], host uuid,
  skipped integer, maximum integer, named integer)
returns table (
  begins_at timestamptz, ends_at timestamptz, counts json, total_count integer, keys text, labels text[])
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
  counted as materialized (
    select changed.entity, changed.change, count(*) as records from changed group by changed.entity, changed.change),
  on_host as materialized (
    select changed.host_id, row_number() over (order by changed.network_id, changed.host_id) - skipped as place,
      count(*) filter (where changed.change = 'added')::integer as added,
      count(*) filter (where changed.change = 'removed')::integer as removed,
      count(*) filter (where changed.change = 'changed')::integer as changed,
      count(*) filter (where changed.change = 'returned')::integer as returned
    from changed where changed.host_id is not null group by changed.network_id, changed.host_id),
  listed as materialized (
    select * from on_host where on_host.place > 0 and (maximum is null or on_host.place <= maximum))
  select
    (select count(*)::integer from on_host) as total_count,
    (select app.differences_by_kind(
        array_agg(counted.entity), array_agg(counted.change), array_agg(counted.records))
      from counted) as counts,
    (select encode(string_agg(uuid_send(listed.host_id) || int4send(listed.added) || int4send(listed.removed)
        || int4send(listed.changed) || int4send(listed.returned), '' order by listed.place), 'base64')
      from listed) as keys,
    (select array_agg(listed.host_id order by listed.place) from listed where listed.place <= named) as hosts
  into found;
  labels := app.host_labels(found.hosts, compared.begins, compared.settled);
  perform app.require_history(compared.begins);
  begins_at := compared.begins;
  ends_at := app.end_of_comparison(compared.begins, compared.settled, compared.is_cut, network, entities, host);
  counts := found.counts;
  total_count := found.total_count;
  keys := coalesce(found.keys, '');
  return next;
end
$$;

grant execute on function app.diff_by_host to inventory_api;
