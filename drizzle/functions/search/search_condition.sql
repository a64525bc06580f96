-- What a search asks of the texts of a table's rows, in SQL over `record` with the parameters $1: the
-- organization, $2: the networks that the key reaches, $3: the text in lower case, $4: its pattern, $5: the
-- instant. It takes the index of trigrams or, for a text that has no three letters or digits in a row or signs
-- that trigrams leave out, that of pairs.
--
-- Who finds through the index of pairs makes the pairs of each row again. So where many rows have such a
-- text, as the planner tells by their statistics, those that are live are read instead.
create or replace function app.search_condition(
  searched name, organization uuid, reached uuid[], folded text, pattern text, at timestamptz)
returns text language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  many constant integer := 10000;
  within constant text := case when reached is null then '' else ' and record.network_id = any ($2)' end;
  plan json;
begin
  if app.has_trigrams(folded) then
    return $sql$translate(record.searchable, '.:-/', 'qzxj') like translate($4, '.:-/', 'qzxj')
      and record.searchable like $4 and tstzrange(record.valid_from, record.valid_to) @> $5$sql$ || within;
  end if;
  if at is null then
    execute format(
      $sql$explain (format json) select from public.%I as record
      where record.organization_id = $1 and record.valid_to is null
        and app.paired(record.searchable) like '%%' || app.paired($3) || '%%'$sql$, searched) || within
    into plan using organization, reached, folded;
    if (plan -> 0 -> 'Plan' ->> 'Plan Rows')::numeric >= many then
      return 'record.valid_to is null and record.searchable like $4' || within;
    end if;
  end if;
  return $sql$app.paired(record.searchable) like '%' || app.paired($3) || '%'
    and record.searchable like $4 and tstzrange(record.valid_from, record.valid_to) @> $5$sql$ || within;
end
$$;
