-- Matching, second step: by address within the same subnet, in rounds. If several hosts in the report match one stored
-- host, one of them is matched with it, and the others are matched with the remaining stored hosts. Returns all matches
-- so far.
create or replace function app.match_by_address(
  context app.ingest_context, pairs app.ingested_pair[], failed int[],
  inout matched app.ingested_match[])
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  taken_indexes int[];
  taken_hosts uuid[];
  by_address app.ingested_match[];
begin
  loop
    -- Arrays are hashed, regardless of the size that the planner expects.
    select coalesce(array_agg(own.index), '{}'), coalesce(array_agg(own.host_id), '{}')
    into taken_indexes, taken_hosts from unnest(matched) as own;
    by_address := array(
      select distinct on (best.host_id) (best.index, best.host_id, 'address')::app.ingested_match
      from (
        -- If several stored hosts match one host in the report, the one with the most in common is chosen or, in a tie,
        -- the oldest.
        select distinct on (counted.index) counted.*
        from (
          select pair.index, pair.host_id, bool_or(pair.is_exact) as is_exact, count(*) as number,
            min(pair.address) as lowest, max(pair.likeness) as likeness,
            count(*) over (partition by pair.index) as choices
          from unnest(pairs) as pair
          where pair.index <> all (failed) and not pair.is_gone
            and pair.index <> all (taken_indexes) and pair.host_id <> all (taken_hosts)
          group by pair.index, pair.host_id) as counted
        cross join lateral (
          select stored.id, stored.created_at from public.hosts as stored
          where stored.organization_id = (select context.organization_id) and stored.current_id = counted.host_id
          offset 0) as known
        order by counted.index, counted.is_exact desc, counted.likeness desc, counted.number desc,
          known.created_at, counted.lowest, known.id) as best
      order by best.host_id, best.is_exact desc, best.likeness desc, best.choices, best.number desc,
        best.lowest, best.index);
    exit when by_address = '{}';
    matched := matched || by_address;
  end loop;
end
$$;

grant execute on function app.match_by_address to inventory_api;
