-- The live records among which app.search looks for those that all words find: every record that it returns is one of
-- them. If `most` or more records of a kind contain a word, only `most` of them are found by it. The two longest words are
-- tried, until one of them finds all its records.
--
-- With several words, each may be in another record of one host, so the parts of the found hosts that contain any word
-- are candidates too. The function bypasses the policies, under which `like` never uses an index, so it checks the
-- key's networks itself. It returns only ids.
create or replace function app.search_candidates(words jsonb, kinds text[], network uuid)
returns table (entity text, id uuid)
language plpgsql stable security definer rows 10000
set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  most constant integer := 200;
  -- Each word that is tried takes several index scans.
  most_tried constant integer := 2;
  organization uuid := app.organization_id();
  reached uuid[] := case when not app.reaches_all_networks() then app.network_ids() end;
  searched text[] := kinds;
  word jsonb;
  place integer;
  tried integer := 0;
  found record;
  chosen record;
  hosts uuid[];
  patterns text[];
  ports integer[];
  has_addresses boolean;
begin
  if network is not null then
    reached := case when reached is null or network = any (reached) then array[network] else '{}' end;
  end if;
  -- The records of a host find each other.
  if kinds && array['Host', 'Service', 'IPAddress', 'Port', 'Interface', 'Neighbor'] then
    searched := searched || array['Host', 'Service', 'IPAddress', 'Port'];
  end if;

  -- The first element is the whole text. It is tried in any case, since a name can contain several common words.
  for word, place in
    select sent.value, sent.place from jsonb_array_elements(words) with ordinality as sent (value, place)
    order by sent.place > 1, char_length(sent.value ->> 'text') desc, sent.place
  loop
    select coalesce(array_agg(one.entity), '{}') as entities, coalesce(array_agg(one.id), '{}') as ids,
      coalesce(array_agg(one.host_id), '{}') as hosts,
      coalesce(bool_and(one.size < most), true) as is_complete
    into found
    from (
      select known.*, count(*) over (partition by known.entity) as size
      from (
        select distinct * from app.found_by_word(word, organization, reached, searched, most)) as known) as one;
    if place = 1 then
      return query select * from unnest(found.entities, found.ids);
      hosts := found.hosts;
      continue;
    end if;
    tried := tried + 1;
    if tried = 1 or found.is_complete then
      chosen := found;
    end if;
    exit when found.is_complete or tried = most_tried;
  end loop;
  if tried > 0 then
    return query select * from unnest(chosen.entities, chosen.ids);
    hosts := hosts || chosen.hosts;
  end if;
  hosts := array(select distinct host.id from unnest(hosts) as host (id) where host.id is not null);
  return query select 'Host', host.id from unnest(hosts) as host (id);
  if tried = 0 then
    return;
  end if;

  select array_agg('%' || regexp_replace(
      lower(sent.value ->> 'text' collate "und-x-icu"), '([\\%_])', '\\\1', 'g') || '%'),
    array_agg((sent.value ->> 'port')::integer),
    bool_or(sent.value ->> 'first_mac' is not null or sent.value -> 'first_addresses' <> '[]')
  into patterns, ports, has_addresses
  from jsonb_array_elements(words) as sent;
  hosts := hosts[:most];
  return query
    select 'Service', part.live_id from unnest(hosts) as host (id)
    cross join lateral (
      select record.live_id from public.services as record
      where record.organization_id = organization and record.live_host_id = host.id
        and record.searchable like any (patterns)
      offset 0) as part
    union all
    select 'IPAddress', part.live_id from unnest(hosts) as host (id)
    cross join lateral (
      select record.live_id from public.ip_addresses as record
      where record.organization_id = organization and record.live_host_id = host.id
        and (has_addresses or record.searchable like any (patterns))
      offset 0) as part
    union all
    select 'Port', part.live_id from unnest(hosts) as host (id)
    cross join lateral (
      select record.live_id from public.ports as record
      where record.organization_id = organization and record.host_id = host.id and record.valid_to is null
        and record.number = any (ports)
      offset 0) as part
    union all
    select 'Interface', part.live_id from unnest(case when 'Interface' = any (kinds) then hosts end) as host (id)
    cross join lateral (
      select record.live_id from public.interfaces as record
      where record.organization_id = organization and record.host_id = host.id
        and record.valid_to is null
        and (lower(concat_ws(chr(10), record.name, record.alias, record.description, record.mac_address)
          collate "und-x-icu") like any (patterns) or record.mac_address is not null)
      offset 0) as part
    union all
    select 'Neighbor', part.live_id from unnest(case when 'Neighbor' = any (kinds) then hosts end) as host (id)
    cross join lateral (
      select record.live_id from public.neighbors as record
      where record.organization_id = organization and record.live_host_id = host.id
      offset 0) as part;
end
$$;

grant execute on function app.search_candidates to inventory_api;
