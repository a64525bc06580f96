-- Plans the neighbors of the planned interfaces; their `key` is the interface's id. A neighbor that occurs more than
-- once in the report is planned once. Merging: as in app.plan_interfaces.
create or replace function app.plan_neighbors(
  context app.ingest_context, neighbors app.reported_neighbor[], planned_hosts app.ingested_record[],
  planned_interfaces app.ingested_record[], moved_addresses uuid[])
returns app.ingested_record[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if neighbors = '{}' then
    return '{}';
  end if;
  return array(
    with owner as materialized (
      select host.index, not host.is_new and app.is_united(context, host.id, moved_addresses) as is_united
      from unnest(planned_hosts) as host
      where host.index in (select sent.index from unnest(neighbors) as sent)),
    heard as materialized (
      select distinct on (interface.id, sent.protocol, sent.chassis_subtype, sent.chassis_value, port.key)
        sent.*, port.key as port_key, interface.id as interface_id, interface.host_id,
        interface.is_new as is_of_new, owner.is_united
      from unnest(neighbors) with ordinality as sent
      join owner on owner.index = sent.index
      join unnest(planned_interfaces) as interface
        on interface.index = sent.index and interface.key = sent.if_index::text
      cross join lateral (
        select coalesce(sent.port_subtype || ' ' || sent.port_value, '') as key) as port
      order by interface.id, sent.protocol, sent.chassis_subtype, sent.chassis_value, port.key, sent.ordinality)
    select (sent.index, sent.interface_id::text, sent.host_id, coalesce(stored.id, app.uuid_v7()), stored.id is null,
      case when stored.id is null
        then jsonb_build_object('interface_id', sent.interface_id, 'protocol', sent.protocol,
          'chassis_subtype', sent.chassis_subtype, 'chassis_value', sent.chassis_value,
          'port_subtype', sent.port_subtype, 'port_value', sent.port_value) || coalesce(filled.changes, '{}')
        else filled.changes end,
      filled.evidence_of_changes)::app.ingested_record
    from heard as sent
    left join lateral (
      select * from public.neighbors as known
      where known.organization_id = (select context.organization_id)
        and known.live_interface_id = sent.interface_id and known.protocol = sent.protocol
        and known.chassis_subtype = sent.chassis_subtype and known.chassis_value = sent.chassis_value
        and known.port_key = sent.port_key and not sent.is_of_new
      offset 0) as stored on true
    cross join lateral (
      select case when stored.id is not null then app.details_of_neighbor(stored.system_name,
          stored.system_description, stored.port_description, stored.management_addresses) end as row,
        jsonb_strip_nulls(app.details_of_neighbor(sent.system_name, sent.system_description,
          sent.port_description, sent.management_addresses)) as details
      offset 0) as said
    cross join lateral app.fillable(said.row, said.details, stored.discovered, stored.evidence, '{}',
      context.daemon_id, context.watching,
      stored.id is null or (context.seen_at >= stored.last_seen_at and not sent.is_united),
      null, '{}') as filled
    order by sent.ordinality);
end
$$;

grant execute on function app.plan_neighbors to inventory_api;
