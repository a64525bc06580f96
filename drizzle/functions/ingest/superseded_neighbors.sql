-- Returns the forwarding table neighbors to end. Absence from the table does not end a neighbor, since a device that is
-- silent for minutes is removed from the table. A neighbor that discovery created ends if its interface now has an LLDP
-- or CDP neighbor, or another single MAC address, or if the device has learned the neighbor's MAC address on another
-- interface and not on this one. `planned_neighbors`: the neighbors of all protocols.
create or replace function app.superseded_neighbors(
  context app.ingest_context, interfaces app.reported_interface[], contested uuid[],
  planned_hosts app.ingested_record[], planned_interfaces app.ingested_record[],
  planned_neighbors app.ingested_record[], moved_addresses uuid[])
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    with learned as materialized (
      select distinct interface.host_id, interface.id as interface_id, upper(entry.mac::text) as mac
      from unnest(interfaces) as sent
      join unnest(planned_interfaces) as interface
        on interface.index = sent.index and interface.key = sent.if_index::text
      cross join lateral unnest(sent.learned_macs) as entry (mac)),
    owner as materialized (
      select host.id
      from unnest(planned_hosts) as host
      where not host.is_new and host.id <> all (contested)
        and host.id in (
          select planned.host_id from unnest(planned_neighbors) as planned
          union select learned.host_id from learned)
        and not app.is_united(context, host.id, moved_addresses))
    select stored.id
    from owner
    cross join lateral (
      select known.id, known.interface_id, known.host_id, known.chassis_value from public.neighbors as known
      where known.organization_id = (select context.organization_id) and known.live_host_id = owner.id
        and known.protocol = 'Fdb' and known.first_discovery_id is not null
        and known.last_seen_at <= context.seen_at
      offset 0) as stored
    where stored.id not in (select planned.id from unnest(planned_neighbors) as planned)
      and (stored.interface_id::text in (select planned.key from unnest(planned_neighbors) as planned)
        or ((stored.host_id, stored.chassis_value) in (select learned.host_id, learned.mac from learned)
          and (stored.interface_id, stored.chassis_value) not in (
            select learned.interface_id, learned.mac from learned))));
end
$$;

grant execute on function app.superseded_neighbors to inventory_api;
