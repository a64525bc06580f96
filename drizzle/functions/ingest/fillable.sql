-- What of a record a report fills: fields that are empty, and those that still say what discovery wrote.
-- Of these, what has a higher rank replaces what has a lower one, whenever it was seen, and never the
-- other way round. Of the same rank, a later report changes what was seen before, but no other daemon or
-- import does while the daemon that said it can be reached: two that see a host from two places would
-- change it for ever. Nor does what was seen at another place of a host: hosts that a person made one, and
-- interfaces, are still seen apart.
--
-- `held`: the record, null of a new one. `said`: what the report says, without nulls; null where that is
-- known to change nothing. `discovered`, `evidence`: the record's. `ranks`: those of `said` that are not
-- 0, as evidence has them: `{"name": {"rank": 1}}`. `reporter`: the daemon; null of an import. `watching`:
-- the daemons that can be reached. `place`: an address at which the report has seen the host; `elsewhere`:
-- those of its other places. Returns the fields that change, and the evidence of these and of what is now
-- better known; null where there are none.
create or replace function app.fillable(held jsonb, said jsonb, discovered jsonb, evidence jsonb, ranks jsonb,
  reporter uuid, watching uuid[], is_newer boolean, place text, elsewhere text[])
-- One row. Of a table, as such a function becomes part of the query that calls it: to run it for each
-- record took longer than all else.
returns table (changes jsonb, evidence_of_changes jsonb)
language sql stable parallel safe rows 1
begin atomic
  select case when held is null then nullif(said, '{}')
      else jsonb_object_agg(field.key, field.value) filter (where field.is_filled) end,
    case when said is null then null
      when held is null and reporter is null then nullif(ranks, '{}')
      else jsonb_object_agg(field.key, field.proof) filter (
        where (field.is_filled and (field.proof <> '{}' or field.known <> '{}')) or field.is_proven) end
  from (
    select judged.key, judged.value, judged.known, judged.is_filled,
      judged.is_discovered and judged.held = judged.value and (judged.rank > judged.known_rank
        or (judged.rank = judged.known_rank and (
          (reporter is not null and not judged.is_owned)
          or (elsewhere <> '{}' and not judged.known ? 'address')))) as is_proven,
      jsonb_strip_nulls(jsonb_build_object(
        'rank', nullif(judged.rank, 0),
        'daemon_id', coalesce(reporter, case when not judged.is_filled and judged.is_owned
          then (judged.known->>'daemon_id')::uuid end),
        'address', coalesce(case when not judged.is_filled then judged.known->>'address' end,
          case when elsewhere <> '{}' then place end))) as proof
    from (
      select ranked.*,
        ranked.held = 'null' or (ranked.is_discovered and ranked.held <> ranked.value
          and (ranked.rank > ranked.known_rank
            or (ranked.rank = ranked.known_rank and is_newer and not ranked.is_elsewhere
              and (not ranked.is_owned or (ranked.known->>'daemon_id')::uuid = reporter)))) as is_filled
      from (
        select every.key, every.value, every.held, every.known,
          coalesce(every.held = discovered -> every.key, false) as is_discovered,
          coalesce((ranks -> every.key ->> 'rank')::int, 0) as rank,
          coalesce((every.known ->> 'rank')::int, 0) as known_rank,
          coalesce((every.known ->> 'daemon_id')::uuid = any (watching), false) as is_owned,
          coalesce(every.known ->> 'address' = any (elsewhere), false) as is_elsewhere
        from (
          select entry.key, entry.value, coalesce(held -> entry.key, 'null') as held,
            coalesce(evidence -> entry.key, '{}') as known
          from jsonb_each(
            -- Nearly all that an import says is new as a whole, or as it was. An object contains a smaller one.
            case when reporter is not null
              or not held @> said or held -> 'virtualization' <> said -> 'virtualization'
              or elsewhere <> '{}' or not coalesce(evidence, '{}') @> ranks
              then said end) as entry) as every) as ranked) as judged) as field;
end;

grant execute on function app.fillable(jsonb, jsonb, jsonb, jsonb, jsonb, uuid, uuid[], boolean, text, text[]) to inventory_api;
