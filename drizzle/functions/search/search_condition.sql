-- The condition under which a search finds a row of a table by its text, as SQL over `record` with these parameters: $1
-- the organization, $2 the networks that the key can access, $3 the search text in lower case, $4 its pattern, $5 the
-- instant. It uses the trigram index, or the index of pairs if the search text does not have three letters or digits in
-- a row or has characters that trigrams leave out.
--
-- A scan of the index of pairs recomputes the pairs of each matching row. So if many rows match, according to the
-- planner's statistics, the live rows are read instead.
--
-- For a key limited to specific networks, see app.is_read_by_network.
--
-- A condition that uses a text index compares the organization with an expression: see drizzle/README.md, "GiST
-- indexes".
--
-- Postgres allows `explain` only in volatile functions. This one changes nothing, so its callers may be stable.
create or replace function app.search_condition(
  searched name, organization uuid, reached uuid[], folded text, pattern text, at timestamptz)
returns text language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  many constant integer := 10000;
  within constant text := case when reached is null then '' else ' and record.network_id = any ($2)' end
    || case when reached is not null and at is null then ' and record.valid_to is null' else '' end;
  plan json;
begin
  if app.is_read_by_network(searched, organization, reached) then
    return 'record.organization_id = $1 and record.searchable like $4' || within || case when at is null then '' else
      $sql$ and case when record.valid_to is null then 'infinity'::timestamptz else record.valid_to end > $5
        and record.valid_from <= $5$sql$ end;
  end if;
  if app.has_trigrams(folded) then
    return $sql$coalesce(record.organization_id, record.id) = $1
      and translate(record.searchable, '.:-/', 'qzxj') like translate($4, '.:-/', 'qzxj')
      and record.searchable like $4 and tstzrange(record.valid_from, record.valid_to) @> $5$sql$ || within;
  end if;
  if at is null then
    execute format(
      $sql$explain (format json) select from public.%I as record
      where record.organization_id = $1 and record.valid_to is null
        and app.paired(record.searchable) like '%%' || app.paired($3) || '%%'$sql$, searched) || within
    into plan using organization, reached, folded;
    if (plan -> 0 -> 'Plan' ->> 'Plan Rows')::numeric >= many then
      return 'record.organization_id = $1 and record.valid_to is null and record.searchable like $4' || within;
    end if;
  end if;
  return $sql$coalesce(record.organization_id, record.id) = $1
    and app.paired(record.searchable) like '%' || app.paired($3) || '%'
    and record.searchable like $4 and tstzrange(record.valid_from, record.valid_to) @> $5$sql$ || within;
end
$$;
