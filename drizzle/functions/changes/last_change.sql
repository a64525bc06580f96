-- The instant of the last change between two instants that the caller can see, or null. The search can be limited to a
-- network, to some kinds, or to records that may have been on a host.
create or replace function app.last_change(
  from_at timestamptz, to_at timestamptz, network uuid, entities text[], host uuid)
returns timestamptz
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  selects text[];
  changed_at timestamptz;
begin
  selects := array(
    select format('
      select max(version.%1$I) as at from public.%2$I as version
      where version.valid_to is %3$s and version.%1$I > $1 and version.%1$I <= $2%4$s%5$s',
      edge.at, kind.relation, edge.state,
      case when network is not null then ' and version.network_id = $4' end,
      case when host is not null then ' and ' || app.may_be_of_host(kind.entity, '$3') end)
    from app.change_kinds() as kind
    cross join (values ('valid_from', 'null'), ('valid_from', 'not null'), ('valid_to', 'not null')) as edge (at, state)
    where (entities is null or kind.entity = any (entities))
      and (host is null or app.may_be_of_host(kind.entity, '$3') is not null));
  if selects <> '{}' then
    execute format('select max(found.at) from (%s) as found', array_to_string(selects, ' union all '))
    into changed_at using from_at, to_at, host, network;
  end if;
  return changed_at;
end
$$;

grant execute on function app.last_change to inventory_api;
