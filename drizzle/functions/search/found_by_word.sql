-- The live records that one word of a search finds by their own fields, at most `most` of each kind, and the hosts that
-- the word therefore also finds: a host itself, and the host of an address, or of an open port or service. `kinds` are
-- those that the search needs. The parameters `organization` and `reached` replace the policies, so only
-- app.search_candidates calls this function.
--
-- Every query here ends at `most` rows. An index scan ends with them, whereas a bitmap scan first finds all matches of
-- a common word, and a sequential scan first reads the rows of organizations that come before in the table.
create or replace function app.found_by_word(
  word jsonb, organization uuid, reached uuid[], kinds text[], most integer)
returns table (entity text, id uuid, host_id uuid)
language plpgsql stable
set search_path = pg_catalog, pg_temp set enable_bitmapscan = off set enable_seqscan = off as $$
#variable_conflict use_column
declare
  typed record;
  folded text;
  pattern text;
  -- The usual spellings of a name, since the indexes of names are not case-insensitive.
  names text[];
  blocks cidr[];
  kind record;
  field record;
  records text;
  host constant text := 'record.live_id';
  host_of_service constant text := '(select record.host_id from public.bindings as binding
    where binding.organization_id = $1 and binding.live_service_id = record.live_id limit 1)';
  -- A live record ends later than all closed records.
  later_than constant timestamptz := '294000-01-01';
begin
  select * into typed from jsonb_to_record(word) as sent (
    text text, id uuid, port integer, protocol text, first_addresses inet[], last_addresses inet[], first_mac macaddr,
    last_mac macaddr, address inet, block cidr);
  folded := lower(typed.text collate "und-x-icu");
  pattern := '%' || regexp_replace(folded, '([\\%_])', '\\\1', 'g') || '%';
  names := array(select distinct unnest(array[typed.text, folded, upper(folded collate "und-x-icu"),
    upper(left(folded, 1) collate "und-x-icu") || substr(folded, 2)]));
  blocks := app.blocks_of(typed.address) || typed.block;

  -- The start of a name is found even if more than `most` records contain the word, and a complete name before others.
  for kind in
    select known.*, case when app.is_read_by_network(known.relation, organization, reached) then
        format($sql$
          with own as materialized (
            select * from public.%I as record
            where record.organization_id = $1 and record.network_id = any ($2) and record.valid_to is null)$sql$,
          known.relation) else '' end as own
    from (values ('Host', 'hosts', host), ('Service', 'services', host_of_service)) as known (entity, relation, host)
    where known.entity = any (kinds)
  loop
    records := case when kind.own = '' then format('public.%I', kind.relation) else 'own' end;
    return query execute kind.own || format($sql$
      select %L, named.live_id, named.host_id from unnest($3) as start (name)
      cross join lateral (
        select record.live_id, %s as host_id from %s as record
        where record.organization_id = $1 and record.valid_to is null
          and record.name >= start.name and record.name < start.name || chr(1114111)
          and ($2 is null or record.network_id = any ($2))
        order by record.name limit $4) as named$sql$, kind.entity, kind.host, records)
    using organization, reached, names, most;
    for field in select unnest(array['name', 'service_definition']) as name loop
      exit when kind.entity <> 'Service';
      return query execute kind.own || format($sql$
        select 'Service', record.live_id, %s from %s as record
        where record.organization_id = $1 and lower(record.%I collate "und-x-icu") = $3
          and case when record.valid_to is null then 'infinity'::timestamptz else record.valid_to end = 'infinity'
          and ($2 is null or record.network_id = any ($2))
        limit $4$sql$, kind.host, records, field.name)
      using organization, reached, folded, most;
    end loop;
  end loop;

  -- Each of these queries is planned for its own parameter values, as in the functions of lists.
  for kind in
    select * from (values
      ('Host', 'hosts', host),
      ('Service', 'services', host_of_service),
      ('IPAddress', 'ip_addresses', 'record.host_id'),
      ('Subnet', 'subnets', 'null::uuid')) as known (entity, relation, host)
    where known.entity = any (kinds)
      -- The trigrams of short words narrow the search too little where there are many records.
      and (known.entity in ('Host', 'Subnet') or translate(folded, '.:-/', 'qzxj') ~ '[[:alnum:]]{5}')
      and (known.entity <> 'IPAddress' or typed.first_mac is null and typed.first_addresses = '{}')
  loop
    return query execute
      format('select %L, record.live_id, %s from public.%I as record where ', kind.entity, kind.host, kind.relation)
      || app.search_condition(kind.relation, organization, reached, folded, pattern, null) || ' limit $6'
    using organization, reached, folded, pattern, later_than, most;
  end loop;

  if 'IPAddress' = any (kinds) then
    for span in 1..coalesce(cardinality(typed.first_addresses), 0) loop
      return query execute 'select ''IPAddress'', record.live_id, record.host_id from '
        || app.searched_addresses(reached, null, typed.first_addresses[span] = typed.last_addresses[span])
        || ' where record.address between $3 and $4 limit $6'
      using organization, reached, typed.first_addresses[span], typed.last_addresses[span], later_than, most;
    end loop;
    if typed.first_mac is not null then
      return query execute 'select ''IPAddress'', record.live_id, record.host_id from '
        || app.searched_addresses(reached, null, typed.first_mac = typed.last_mac)
        || ' where record.mac_address between $3 and $4 limit $6'
      using organization, reached, typed.first_mac, typed.last_mac, later_than, most;
    end if;
  end if;

  if typed.port is not null and 'Port' = any (kinds) then
    return query
      select 'Port', port.live_id, (
        select port.host_id from public.bindings as binding
        where binding.organization_id = organization and binding.live_port_id = port.live_id limit 1)
      from public.ports as port
      where port.organization_id = organization and port.number = typed.port
        and (typed.protocol is null or port.protocol = typed.protocol)
        and case when port.valid_to is null then 'infinity'::timestamptz else port.valid_to end = 'infinity'
        and (reached is null or port.network_id = any (reached))
      limit most;
  end if;

  if blocks <> '{}' and 'Subnet' = any (kinds) then
    return query
      select 'Subnet', subnet.live_id, null::uuid from public.subnets as subnet
      where subnet.organization_id = organization and subnet.cidr = any (blocks)
        and case when subnet.valid_to is null then 'infinity'::timestamptz else subnet.valid_to end = 'infinity'
        and (reached is null or subnet.network_id = any (reached))
      limit most;
  end if;

  -- Interfaces and neighbors have no text index.
  if 'Interface' = any (kinds) then
    return query
      select 'Interface', one.live_id, null::uuid from public.interfaces as one
      where one.organization_id = organization and one.name = any (names)
        and case when one.valid_to is null then 'infinity'::timestamptz else one.valid_to end = 'infinity'
        and (reached is null or one.network_id = any (reached))
      limit most;
    return query
      select 'Interface', one.live_id, null::uuid from public.interfaces as one
      where one.organization_id = organization and one.mac_address between typed.first_mac and typed.last_mac
        and case when one.valid_to is null then 'infinity'::timestamptz else one.valid_to end = 'infinity'
        and (reached is null or one.network_id = any (reached))
      limit most;
  end if;
  if 'Neighbor' = any (kinds) then
    for kind in select unnest(array['system_name', 'chassis_value', 'port_value']) as name loop
      return query execute format($sql$
        select 'Neighbor', record.live_id, null::uuid from public.neighbors as record
        where record.organization_id = $1 and record.%I = any ($3)
          and case when record.valid_to is null then 'infinity'::timestamptz else record.valid_to end = 'infinity'
          and ($2 is null or record.network_id = any ($2))
        limit $4$sql$, kind.name)
      using organization, reached, names || upper(typed.first_mac::text), most;
    end loop;
  end if;

  if typed.id is not null then
    for kind in
      select * from (values
        ('Host', 'hosts', 'record.live_id'), ('Service', 'services', 'null::uuid'),
        ('IPAddress', 'ip_addresses', 'record.host_id'), ('Subnet', 'subnets', 'null::uuid'),
        ('Port', 'ports', 'null::uuid'), ('Interface', 'interfaces', 'null::uuid'),
        ('Neighbor', 'neighbors', 'null::uuid')) as known (entity, relation, host)
      where known.entity = any (kinds)
    loop
      return query execute format($sql$
        select %L, record.live_id, %s from public.%I as record
        where record.organization_id = $1 and record.id = $3 and record.valid_to is null
          and ($2 is null or record.network_id = any ($2))$sql$, kind.entity, kind.host, kind.relation)
      using organization, reached, typed.id;
    end loop;
  end if;
end
$$;
