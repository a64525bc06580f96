-- For queries that count changes: the SQL that reads the instants at which versions begin or end, one row for each
-- index. `instant` is the expression of the instant, and `source` the rest of the query, to which the caller adds a
-- condition on the instant. In the query, `$1` is an instant before which nothing is read, `$3` are the networks, and
-- `$4` is the host.
create or replace function app.boundaries(networks uuid[], entities text[], host uuid)
returns table (entity text, instant text, is_beginning boolean, source text)
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select kind.entity, 'version.' || edge.at, edge.is_beginning,
    format('public.%I as version where version.valid_to is %s%s%s', kind.relation, edge.state,
      case when networks is not null then ' and version.network_id = any ($3)' end,
      case when host is not null then format('
        and %s and case when version.valid_to is null then ''infinity''::timestamptz else version.valid_to end > $1
        and %s = $4', app.may_be_of_host(kind.entity, '$4'), format(kind.host_id, edge.host_at)) end)
  from app.change_kinds() as kind
  cross join (values
      ('valid_from', 'null', 'version.valid_from', true),
      ('valid_from', 'not null', 'version.valid_from', true),
      ('valid_to', 'not null', '(version.valid_to - interval ''1 millisecond'')', false))
    as edge (at, state, host_at, is_beginning)
  where (entities is null or kind.entity = any (entities))
    and (host is null or app.may_be_of_host(kind.entity, '$4') is not null)
$$;

grant execute on function app.boundaries to inventory_api;
