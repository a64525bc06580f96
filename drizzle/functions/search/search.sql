-- The records that a search finds, the best first: see "Search" in section 9 of the API contract. `words` are the typed
-- texts, each with the numbers and addresses that it may denote: the whole text first, then its words if there are
-- several. Policies apply, so this function sees only what the key can access.
--
-- Every candidate is looked up once, so a memoized lookup never repeats.
create or replace function app.search(words jsonb, kinds text[], network uuid, maximum integer)
returns table (entity text, id uuid, label text, host_id uuid, matched text[], score double precision)
language plpgsql stable rows 50
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan set enable_memoize = off as $$
#variable_conflict use_column
declare
  -- What the needed words are a part of, to leave out most records of the kinds that are read completely.
  patterns text[] := array(
    select '%' || regexp_replace(
      lower(sent.value ->> 'text' collate "und-x-icu"), '([\\%_])', '\\\1', 'g') || '%'
    from jsonb_array_elements(words) with ordinality as sent (value, place)
    where sent.place > 1 or jsonb_array_length(words) = 1);
  has_id constant boolean := exists (
    select from jsonb_array_elements(words) as sent (value) where sent.value ->> 'id' is not null);
begin
  return query
  with word as materialized (
    select sent.place, sent.place > 1 or jsonb_array_length(words) = 1 as is_needed, typed.*,
      lower(typed.text collate "und-x-icu") as folded,
      -- The start of a word within a text.
      '[^[:alnum:]]' || regexp_replace(lower(typed.text collate "und-x-icu"), '([][\\^$.*+?(){}|])', '\\\1', 'g') as inner_start
    from jsonb_array_elements(words) with ordinality as sent (value, place)
    cross join lateral jsonb_to_record(sent.value) as typed (
      text text, first_addresses inet[], last_addresses inet[], first_mac macaddr, last_mac macaddr, address inet,
      block cidr)),
  candidate as materialized (
    select distinct * from app.search_candidates(words, kinds, network)),
  -- The fields of each candidate. A label is worth more than other fields; a number or an id is compared as a whole. Not
  -- materialized, so that fields without a text are never stored.
  field as not materialized (
    select 'Host' as entity, 1 as kind, host.id, host.name as label, host.id as host_id, true as is_of_host, shown.*
    from candidate
    cross join lateral (
      select * from public.hosts as host where host.id = candidate.id and host.valid_to is null limit 1) as host
    cross join lateral (values
      ('name', true, false, host.name, null::inet, null::macaddr, null::cidr),
      ('hostname', false, false, host.hostname, null, null, null),
      ('sys_name', false, false, host.sys_name, null, null, null),
      ('operating_system', false, false, host.operating_system, null, null, null),
      ('id', false, true, case when has_id then host.id::text end, null, null, null)
    ) as shown (name, is_label, is_whole, text, address, mac, block)
    where candidate.entity = 'Host'
    union all
    select 'Service', 2, service.id, service.name, service.host_id, service.is_open, shown.*
    from candidate
    cross join lateral (
      select *, exists (select from public.bindings as binding where binding.live_service_id = service.id) as is_open
      from public.services as service where service.id = candidate.id and service.valid_to is null
      limit 1) as service
    cross join lateral (values
      ('name', true, false, service.name, null::inet, null::macaddr, null::cidr),
      ('service_definition', false, false, service.service_definition, null, null, null),
      ('version', false, false, service.version, null, null, null),
      ('id', false, true, case when has_id then service.id::text end, null, null, null)
    ) as shown (name, is_label, is_whole, text, address, mac, block)
    where candidate.entity = 'Service'
    union all
    select 'IPAddress', 3, part.id, host(part.address), part.host_id, true, shown.*
    from candidate
    cross join lateral (
      select * from public.ip_addresses as part where part.id = candidate.id and part.valid_to is null limit 1) as part
    cross join lateral (values
      ('ip_address', true, false, host(part.address), part.address, null::macaddr, null::cidr),
      ('mac_address', false, false, part.mac_address::text, null, part.mac_address, null),
      ('name', false, false, part.name, null, null, null),
      ('id', false, true, case when has_id then part.id::text end, null, null, null)
    ) as shown (name, is_label, is_whole, text, address, mac, block)
    where candidate.entity = 'IPAddress'
    union all
    select 'Subnet', 4, subnet.id, subnet.name, null, false, shown.*
    from candidate
    cross join lateral (
      select * from public.subnets as subnet where subnet.id = candidate.id and subnet.valid_to is null
      limit 1) as subnet
    cross join lateral (values
      ('name', true, false, subnet.name, null::inet, null::macaddr, null::cidr),
      ('cidr', false, false, text(subnet.cidr), null, null, subnet.cidr),
      ('description', false, false, subnet.description, null, null, null),
      ('id', false, true, case when has_id then subnet.id::text end, null, null, null)
    ) as shown (name, is_label, is_whole, text, address, mac, block)
    where candidate.entity = 'Subnet'
    union all
    select 'Port', 5, port.id, port.number || '/' || port.protocol, port.host_id, port.is_open, shown.*
    from candidate
    cross join lateral (
      select *, exists (select from public.bindings as binding where binding.live_port_id = port.id) as is_open
      from public.ports as port where port.id = candidate.id and port.valid_to is null
      limit 1) as port
    cross join lateral (values
      ('number', true, true, port.number::text, null::inet, null::macaddr, null::cidr),
      ('number', true, true, port.number || '/' || port.protocol, null, null, null),
      ('id', false, true, case when has_id then port.id::text end, null, null, null)
    ) as shown (name, is_label, is_whole, text, address, mac, block)
    where candidate.entity = 'Port'
    union all
    select 'Interface', 6, one.id, coalesce(one.name, one.if_index::text), one.host_id, false, shown.*
    from candidate
    cross join lateral (
      select * from public.interfaces as one where one.id = candidate.id and one.valid_to is null limit 1) as one
    cross join lateral (values
      ('name', true, false, one.name, null::inet, null::macaddr, null::cidr),
      ('alias', false, false, one.alias, null, null, null),
      ('description', false, false, one.description, null, null, null),
      ('mac_address', false, false, one.mac_address::text, null, one.mac_address, null),
      ('id', false, true, case when has_id then one.id::text end, null, null, null)
    ) as shown (name, is_label, is_whole, text, address, mac, block)
    where candidate.entity = 'Interface'
    union all
    select 'Neighbor', 7, neighbor.id, coalesce(neighbor.system_name, neighbor.chassis_value), neighbor.host_id, false,
      shown.*
    from candidate
    cross join lateral (
      select * from public.neighbors as neighbor where neighbor.id = candidate.id and neighbor.valid_to is null
      limit 1) as neighbor
    cross join lateral (values
      ('system_name', true, false, neighbor.system_name, null::inet, null::macaddr, null::cidr),
      ('chassis_id', neighbor.system_name is null, false, neighbor.chassis_value, null,
        case when neighbor.chassis_subtype = 'MacAddress' then neighbor.chassis_value::macaddr end, null),
      ('port_id', false, false, neighbor.port_value, null,
        case when neighbor.port_subtype = 'MacAddress' then neighbor.port_value::macaddr end, null),
      ('id', false, true, case when has_id then neighbor.id::text end, null, null, null)
    ) as shown (name, is_label, is_whole, text, address, mac, block)
    where candidate.entity = 'Neighbor'
    union all
    select known.entity, known.kind, known.id, known.name, known.host_id, false, shown.*
    from (
      select 'Network' as entity, 8 as kind, one.id, one.name, null::uuid as host_id, 'description' as other,
        one.description as text
      from public.networks as one where 'Network' = any (kinds) and (network is null or one.id = network)
      union all
      select 'Daemon', 9, one.id, one.name, one.host_id, 'url', one.url
      from public.daemons as one where 'Daemon' = any (kinds) and (network is null or one.network_id = network)
      union all
      select 'Credential', 10, one.id, one.name, null, 'name', null
      from public.credentials as one where 'Credential' = any (kinds) and network is null
      union all
      select 'Tag', 11, one.id, one.name, null, 'description', one.description
      from public.tags as one where 'Tag' = any (kinds) and network is null) as known
    cross join lateral (values
      ('name', true, false, known.name, null::inet, null::macaddr, null::cidr),
      (known.other, false, false, known.text, null, null, null),
      ('id', false, true, case when has_id then known.id::text end, null, null, null)
    ) as shown (name, is_label, is_whole, text, address, mac, block)
    where lower(concat_ws(chr(10), known.name, known.text, known.id) collate "und-x-icu") like all (patterns)),
  texts as materialized (
    select *, lower(field.text collate "und-x-icu") as folded from field where field.text is not null),
  -- The best field of a record for each word. 4: the whole field, 3: its start, 2: the start of a word in it, 1: inside.
  own as materialized (
    select distinct on (graded.kind, graded.id, graded.place) graded.*, worth
    from (
      select texts.*, word.place,
        greatest(
          case
            when texts.folded = word.folded then 4
            -- A complete address is not treated as part of another one.
            when texts.is_whole or texts.address is not null and word.address is not null then 0
            when starts_with(texts.folded, word.folded) then 3
            when strpos(texts.folded, word.folded) = 0 then 0
            when texts.folded ~ word.inner_start then 2
            else 1
          end,
          case
            when texts.address is null then 0
            when texts.address = word.address then 4
            when exists (
              select from unnest(word.first_addresses, word.last_addresses) as span (first, last)
              where texts.address between span.first and span.last) then 3
          end,
          case
            when texts.mac between word.first_mac and word.last_mac
            then case when word.first_mac = word.last_mac then 4 else 3 end
          end,
          case when texts.block = word.block then 4 when word.address <<= texts.block then 1 end) as grade
      from texts cross join word
      -- Computes each grade once.
      offset 0) as graded
    cross join lateral (
      select 0.2 * graded.grade + case when graded.is_label then 0.2 else 0.1 end) as value (worth)
    where graded.grade > 0
    order by graded.kind, graded.id, graded.place, worth desc, graded.name),
  -- The best match of a host for each word: its own fields, otherwise its addresses, open ports and open services.
  of_host as materialized (
    select distinct on (own.host_id, own.place) own.host_id, own.place, own.kind = 1 as is_own,
      case own.kind when 1 then '' when 2 then 'services.' when 3 then 'ip_addresses.' else 'ports.' end || own.name
        as name,
      0.1 + 0.1 * own.grade as worth
    from own
    where own.is_of_host and own.kind in (1, 2, 3, 5) and (own.kind = 1 or own.name <> 'id')
    order by own.host_id, own.place, own.kind > 1, own.grade desc, own.kind, own.name),
  record as materialized (
    select distinct on (texts.id, texts.kind) texts.entity, texts.kind, texts.id, texts.label, texts.host_id from texts
    where texts.entity = any (kinds)),
  -- The matches of each record for each word: its own, otherwise that of its host.
  match as materialized (
    select own.kind, own.id, own.place, own.name, own.worth, true as is_own from own
    where own.entity = any (kinds)
    union all
    select record.kind, record.id, of_host.place, case when record.kind > 1 then 'host.' else '' end || of_host.name,
      of_host.worth, false
    from record join of_host on of_host.host_id = record.host_id
    where not exists (
      select from own where own.kind = record.kind and own.id = record.id and own.place = of_host.place)),
  ranked as materialized (
    select match.kind, match.id,
      array_agg(match.name order by match.place) filter (where word.is_needed) as names,
      count(*) filter (where word.is_needed) as found,
      bool_or(match.is_own) as is_found_itself,
      greatest(
        avg(match.worth) filter (where word.is_needed),
        max(match.worth) filter (where word.place = 1 and match.is_own)) as worth
    from match join word on word.place = match.place
    -- The id comes first, since it alone decides nearly all comparisons of the sort.
    group by match.id, match.kind)
  select record.entity, ranked.id, record.label, record.host_id,
    array(
      select named.name from unnest(ranked.names) with ordinality as named (name, place)
      group by named.name order by min(named.place)),
    round(ranked.worth, 3)::double precision as score
  from ranked
  join record on record.kind = ranked.kind and record.id = ranked.id
  where ranked.found = (select count(*) from word where word.is_needed)
    and (ranked.is_found_itself or ranked.kind = 1)
  order by score desc, record.kind, lower(record.label collate "und-x-icu") collate "C", record.id
  limit maximum;
end
$$;

grant execute on function app.search to inventory_api;
