-- The names of hosts in the order of their ids, at the second of two instants if they existed then, otherwise at the
-- first.
create or replace function app.host_labels(ids uuid[], from_at timestamptz, to_at timestamptz) returns text[]
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    select coalesce(known.label, '')
    from unnest(ids) with ordinality as host (id, place)
    left join app.labels_of('Host', ids, from_at, to_at) as known on known.id = host.id
    order by host.place);
end
$$;

grant execute on function app.host_labels to inventory_api;
