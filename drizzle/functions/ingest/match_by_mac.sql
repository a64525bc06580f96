-- Matching, third step: by MAC address, if exactly one host in the report and exactly one stored host have it. A host
-- in the report whose address is stored with another host has already failed. Otherwise, it could become a third host
-- when the MAC addresses of this report are stored. A stored host that the same scan has already seen is excluded,
-- since it is a different host. Returns all matches so far.
create or replace function app.match_by_mac(
  context app.ingest_context, addresses app.ingested_address[], pairs app.ingested_pair[],
  failed int[], inout matched app.ingested_match[])
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  moved_addresses uuid[];
  paired_indexes int[];
  taken_indexes int[];
  taken_hosts uuid[];
  by_mac app.ingested_match[];
begin
  loop
    moved_addresses := array(
      select leaving.address_id
      from unnest(app.leaving_addresses(pairs, matched, failed)) as leaving);
    select coalesce(array_agg(distinct pair.index), '{}') into paired_indexes from unnest(pairs) as pair
    where pair.address_id <> all (moved_addresses);
    select coalesce(array_agg(own.index), '{}'), coalesce(array_agg(own.host_id), '{}')
    into taken_indexes, taken_hosts from unnest(matched) as own;
    by_mac := array(
      select distinct on (best.host_id) (best.index, best.host_id, 'mac')::app.ingested_match
      from (
        select distinct on (counted.index) counted.*
        from (
          select owned.index, owned.host_id, count(distinct owned.mac) as number,
            min(owned.mac::text) as lowest
          from (
            select sent.index, sent.mac, (array_agg(stored.host_id))[1] as host_id
            from unnest(addresses) as sent
            cross join lateral (
              select known.host_id, known.network_id, known.valid_to from public.ip_addresses as known
              where known.organization_id = (select context.organization_id) and known.mac_address = sent.mac
              offset 0) as stored
            where stored.network_id = context.network_id and stored.valid_to is null
              and sent.mac_identifies and sent.index <> all (failed)
            group by sent.index, sent.mac having count(distinct stored.host_id) = 1) as owned
          where owned.index <> all (taken_indexes) and owned.index <> all (paired_indexes)
            and owned.host_id <> all (taken_hosts)
          group by owned.index, owned.host_id) as counted
        cross join lateral (
          select stored.id, stored.created_at from public.hosts as stored
          where stored.organization_id = (select context.organization_id) and stored.current_id = counted.host_id
            and (stored.last_discovery_id is distinct from context.discovery_id
              or context.discovery_id = context.daemon_id)
          offset 0) as known
        order by counted.index, counted.number desc, known.created_at, counted.lowest, known.id) as best
      order by best.host_id, best.number desc, best.lowest);
    exit when by_mac = '{}';
    matched := matched || by_mac;
  end loop;
end
$$;

grant execute on function app.match_by_mac to inventory_api;
