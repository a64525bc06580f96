-- The IP addresses that a search for `text` finds at the instant `at`, or now if null. These are the addresses whose
-- own text contains it, and those that match it in another way: by an address in a span, a MAC address in a span, or an
-- id. See app.search_query.
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
  later_than timestamptz := coalesce(at, '294000-01-01');
  others uuid[] := array[wanted];
  found uuid[];
begin
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

  return query execute app.search_query('ip_addresses', organization, reached, folded, pattern, at)
  using organization, reached, folded, pattern, later_than, others;
end
$$;

grant execute on function app.search_ip_addresses to inventory_api;
