-- Which rows of a table a search finds by their texts, in SQL over `record` with the parameters $1: the
-- organization, $2: the networks that the key reaches, $3: the text in lower case, $4: its pattern, $5: the
-- instant. It takes the index of trigrams or, for a text that has no three letters or digits in a row or signs
-- that trigrams leave out, that of pairs.
--
-- Who finds through the index of pairs makes the pairs of each row again. So where many rows have such a
-- text, as the planner tells by their statistics, those that are live are read instead.
--
-- Where a key reaches networks that have few rows, these are read and no index of texts: it has no network, so
-- the time would tell what the other networks hold.
--
-- The organization is an expression where an index of texts is to be read: see drizzle/README.md, "Indexes of GiST".
--
-- Postgres explains only in what is volatile. It changes nothing, so what calls it may be stable.
create or replace function app.search_condition(
  searched name, organization uuid, reached uuid[], folded text, pattern text, at timestamptz)
returns text language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  many constant integer := 10000;
  within constant text := case when reached is null then '' else ' and record.network_id = any ($2)' end
    || case when reached is not null and at is null then ' and record.valid_to is null' else '' end;
  plan json;
  held bigint;
begin
  if reached is not null then
    execute format(
      $sql$select count(*) from (
        select from public.%I as record
        where record.organization_id = $1 and record.network_id = any ($2) and record.valid_to is null
        limit $3) as record$sql$, searched)
    into held using organization, reached, many;
    if held < many then
      return 'record.organization_id = $1 and record.searchable like $4' || within || case when at is null then '' else
        $sql$ and case when record.valid_to is null then 'infinity'::timestamptz else record.valid_to end > $5
          and record.valid_from <= $5$sql$ end;
    end if;
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
