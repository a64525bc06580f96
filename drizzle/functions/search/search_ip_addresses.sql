-- The IP addresses that a search for `text` finds at the instant `at`, or now if null. These are the addresses whose
-- own text contains it, and those that match it in another way: by an address in a span, a MAC address in a span, or an
-- id.
--
-- Whole rows are returned, so that a list can filter and order by any column without reading a row again. This bypasses
-- the policies, under which `like` never uses an index, so the function itself checks the key's networks.
create or replace function app.search_ip_addresses(
  text text, at timestamptz, wanted uuid, first_addresses inet[], last_addresses inet[], first_mac macaddr,
  last_mac macaddr)
returns setof public.ip_addresses
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  reached uuid[] := case when not app.reaches_all_networks() then app.network_ids() end;
  folded text := lower(text collate "und-x-icu");
  pattern text := '%' || regexp_replace(folded, '([\\%_])', '\\\1', 'g') || '%';
  -- A live record ends later than all closed records.
  moment timestamptz := coalesce(at, 'infinity');
  later_than timestamptz := coalesce(at, '294000-01-01');
  within text := case when reached is null then '' else ' and record.network_id = any ($2)' end;
  valid text := $sql$
    and not record.searchable like $6
    and case when record.valid_to is null then 'infinity'::timestamptz else record.valid_to end > $5
    and record.valid_from <= $5$sql$ || within;
  others uuid[] := case when wanted is null then '{}' else array[wanted] end;
  found uuid[];
begin
  return query execute '
    select record.*
    from public.ip_addresses as record
    where ' ||
      app.search_condition('ip_addresses', organization, reached, folded, pattern, at)
  using organization, reached, folded, pattern, moment;

  -- Each query is planned for its own parameter values, since the best index depends on them and on the networks.
  for span in 1..coalesce(cardinality(first_addresses), 0) loop
    execute 'select array_agg(record.live_id) from ' ||
      app.searched_addresses(reached, at, first_addresses[span] = last_addresses[span]) || '
      where record.address between $3 and $4 and not record.searchable like $6'
    into found using organization, reached, first_addresses[span], last_addresses[span], later_than, pattern;
    others := others || found;
  end loop;
  if first_mac is not null then
    execute 'select array_agg(record.live_id) from ' ||
      app.searched_addresses(reached, at, first_mac = last_mac) || '
      where record.mac_address between $3 and $4 and not record.searchable like $6'
    into found using organization, reached, first_mac, last_mac, later_than, pattern;
    others := others || found;
  end if;

  -- The limit of one forces a look-up for each address, whatever number Postgres expects.
  return query execute '
    select address.* from (select distinct other.id from unnest($3) as other (id)) as other
    cross join lateral (
      select record.*
      from public.ip_addresses as record
      where record.organization_id = $1 and record.live_id = other.id' || valid || '
      limit 1) as address'
  using organization, reached, others, null, later_than, pattern;
end
$$;

grant execute on function app.search_ip_addresses(text, timestamptz, uuid, inet[], inet[], macaddr, macaddr) to inventory_api;
