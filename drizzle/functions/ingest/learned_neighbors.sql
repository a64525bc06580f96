-- Returns the neighbors that are inferred from forwarding tables: if an interface has learned a single MAC address, and
-- has no LLDP or CDP neighbor after the report, the owner of that address is its neighbor. The device's own addresses,
-- and addresses that several devices share, do not count. `planned_neighbors`: the LLDP and CDP neighbors.
create or replace function app.learned_neighbors(
  context app.ingest_context, interfaces app.reported_interface[], addresses app.ingested_address[],
  planned_interfaces app.ingested_record[], planned_neighbors app.ingested_record[], ended_neighbors uuid[])
returns app.reported_neighbor[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    with learned as materialized (
      select distinct sent.index, sent.if_index, interface.id as interface_id, interface.host_id, entry.mac
      from unnest(interfaces) as sent
      join unnest(planned_interfaces) as interface
        on interface.index = sent.index and interface.key = sent.if_index::text
      cross join lateral unnest(sent.learned_macs) as entry (mac)
      where not app.is_shared_mac(entry.mac)),
    own as materialized (
      select distinct sent.index, sent.mac from unnest(interfaces) as sent
      where sent.mac is not null and sent.index in (select learned.index from learned)
      union
      select distinct sent.index, sent.mac from unnest(addresses) as sent
      where sent.mac is not null and sent.index in (select learned.index from learned)
      union
      select host.index, stored.mac
      from (select distinct learned.index, learned.host_id from learned) as host
      cross join lateral (
        select known.mac_address as mac from public.interfaces as known
        where known.organization_id = (select context.organization_id) and known.live_host_id = host.host_id
        union all
        select known.mac_address from public.ip_addresses as known
        where known.organization_id = (select context.organization_id) and known.live_host_id = host.host_id
        offset 0) as stored
      where stored.mac is not null)
    select (single.index, single.if_index, 'Fdb', 'MacAddress', upper(single.mac::text), null, null, null,
      null, null, null)::app.reported_neighbor
    from (
      select learned.index, learned.if_index, learned.interface_id, (array_agg(learned.mac))[1] as mac
      from learned
      where (learned.index, learned.mac) not in (select own.index, own.mac from own)
      group by learned.index, learned.if_index, learned.interface_id
      having count(*) = 1) as single
    where single.interface_id::text not in (select planned.key from unnest(planned_neighbors) as planned)
      and not exists (
        select from public.neighbors as known
        where known.organization_id = (select context.organization_id)
          and known.live_interface_id = single.interface_id and known.protocol <> 'Fdb'
          and known.id <> all (ended_neighbors)));
end
$$;

grant execute on function app.learned_neighbors to inventory_api;
