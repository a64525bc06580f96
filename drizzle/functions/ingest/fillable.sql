-- The fields of a record that a report may set: empty fields, and fields that still have the value that discovery
-- wrote. In the latter, a higher-ranked value replaces a lower-ranked one, regardless of when it was seen, and never
-- the reverse. If the ranks are equal, a later report replaces an earlier value, with two exceptions. While the daemon
-- that reported a value can be reached, other daemons and imports do not replace it, since two daemons that see a host
-- from different vantage points would change it back and forth forever. And a value that was seen at one of a host's
-- addresses does not replace a value seen at another, since imports and scans still see each interface, and each host
-- that a user consolidated, separately.
--
-- `held`: the record; null for a new record. `said`: the reported values, without nulls; null if they are known not to
-- change anything. `discovered`, `evidence`: the record's columns. `ranks`: the ranks of `said` that are not 0, in the
-- format of `evidence`: `{"name": {"rank": 1}}`. `reporter`: the daemon; null for an import. `watching`: the daemons
-- that can be reached. `place`: an address at which the report saw the host; `elsewhere`: the host's other addresses,
-- at which it is seen separately. Returns the fields that change, and the evidence for these fields and for values that
-- now have better evidence; null if there are none.
create or replace function app.fillable(held jsonb, said jsonb, discovered jsonb, evidence jsonb, ranks jsonb,
  reporter uuid, watching uuid[], is_newer boolean, place text, elsewhere text[])
-- Returns one row, as a table, because Postgres inlines such a function into the calling query. Without inlining, the
-- calls for all records took longer than the rest of the ingest.
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
            -- Skips most records of an import, which are either entirely new or unchanged. `held @> said` would also
            -- be true for a list that lacks members of the held one.
            case when reporter is not null or held || said <> held
              or elsewhere <> '{}' or not coalesce(evidence, '{}') @> ranks
              then said end) as entry) as every) as ranked) as judged) as field;
end;

grant execute on function app.fillable to inventory_api;
