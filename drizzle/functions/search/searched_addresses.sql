-- The addresses among which a search looks for a span, as SQL with these parameters: $1 the organization, $2 the
-- networks that the key can access, $5 the instant, which is before the end of live records.
--
-- For a key limited to specific networks, these are all addresses in its networks: the address indexes do not contain
-- the network, so the duration of a search in them would reveal how many addresses in the span belong to other
-- networks. A single address is on too few hosts to reveal this.
create or replace function app.searched_addresses(reached uuid[], at timestamptz, is_single boolean)
returns text language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
  select format($sql$(
      select record.host_id, record.live_id, record.address, record.mac_address, record.searchable
      from public.ip_addresses as record
      where record.organization_id = $1 and %s) as record$sql$,
    case
      when reached is null then valid
      when is_single then 'record.network_id = any ($2) and ' || valid
      when at is null then 'record.network_id = any ($2) and record.valid_to is null offset 0'
      else 'record.network_id = any ($2) and ' || valid || ' offset 0'
    end)
  from (values (
    $sql$case when record.valid_to is null then 'infinity'::timestamptz else record.valid_to end > $5
      and record.valid_from <= $5$sql$)) as text (valid)
$$;
