-- The hosts that a search for `text` finds at the instant `at`, or now if null. These are the hosts whose own text
-- contains it, the hosts with an open service whose name or definition equals it, and the hosts that match it in
-- another way: by an address in a span, a MAC address in a span, an open port, or an id. If the text has five letters
-- or digits in a row, it need only be part of the service's name or definition. Shorter parts occur in the services of
-- nearly all hosts, and their trigrams narrow the search too little. See app.search_query.
create or replace function app.search_hosts(
  text text, at timestamptz, wanted uuid, port integer, first_addresses inet[], last_addresses inet[],
  first_mac macaddr, last_mac macaddr)
returns setof public.hosts
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp as $$
declare
  -- If more services than this contain the text, they are not used to find hosts (API contract, section 9).
  most_services constant integer := 10000;
  organization uuid := app.organization_id();
  reached uuid[] := case when not app.reaches_all_networks() then app.network_ids() end;
  folded text := lower(text collate "und-x-icu");
  pattern text := '%' || regexp_replace(folded, '([\\%_])', '\\\1', 'g') || '%';
  -- A live record ends later than all closed records.
  later_than timestamptz := coalesce(at, '294000-01-01');
  -- One look-up for each record. With `exists`, Postgres would read all bindings rather than a few.
  is_open text := $sql$ and (
    select true from public.bindings as binding
    where binding.organization_id = $1 and $sql$ ||
      case when at is null then 'binding.live_%s = record.live_id' else $sql$
        binding.%s = record.live_id and case when binding.valid_to is null then 'infinity'::timestamptz else binding.valid_to end > $5
        and binding.valid_from <= $5$sql$ end || ' limit 1)';
  of_parts uuid[] := array[wanted];
  found uuid[];
begin
  -- Each query is planned for its own parameter values, since the best index depends on them and on the networks.
  of_parts := of_parts || array(select app.hosts_with_service(text, at));
  if folded ~ '[[:alnum:]]{5}' then
    execute $sql$select array_agg(service.host_id) from (
        select record.host_id from public.services as record
        where record.organization_id = $1
          and (record.version is null or lower(record.name collate "und-x-icu") like $4
            or lower(record.service_definition collate "und-x-icu") like $4) and $sql$ ||
          app.search_condition('services', organization, reached, folded, pattern, at) ||
          format(is_open, 'service_id') || $sql$
        limit $6 + 1) as service$sql$
    into found using organization, reached, folded, pattern, later_than, most_services;
    if cardinality(found) <= most_services then
      of_parts := of_parts || found;
    end if;
  end if;
  for span in 1..coalesce(cardinality(first_addresses), 0) loop
    execute 'select array_agg(distinct record.host_id) from ' ||
      app.searched_addresses(reached, at, first_addresses[span] = last_addresses[span]) || '
      where record.address between $3 and $4'
    into found using organization, reached, first_addresses[span], last_addresses[span], later_than;
    of_parts := of_parts || found;
  end loop;
  if first_mac is not null then
    execute 'select array_agg(distinct record.host_id) from ' ||
      app.searched_addresses(reached, at, first_mac = last_mac) || '
      where record.mac_address between $3 and $4'
    into found using organization, reached, first_mac, last_mac, later_than;
    of_parts := of_parts || found;
  end if;
  if port is not null then
    execute 'select array_agg(distinct record.host_id) from public.ports as record
      where record.organization_id = $1 and record.number = $3
        and case when record.valid_to is null then ''infinity''::timestamptz else record.valid_to end > $5
        and record.valid_from <= $5' ||
        case when reached is null then '' else ' and record.network_id = any ($2)' end ||
        format(is_open, 'port_id')
    into found using organization, reached, port, null, later_than;
    of_parts := of_parts || found;
  end if;

  return query execute app.search_query('hosts', organization, reached, folded, pattern, at)
  using organization, reached, folded, pattern, later_than, of_parts;
end
$$;

grant execute on function app.search_hosts to inventory_api;
