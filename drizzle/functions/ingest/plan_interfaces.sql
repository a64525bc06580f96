-- Plans the interfaces of the planned hosts, by their numbers. Merging: see app.fillable. If a user consolidated two or
-- more hosts into one, a report describes only one of them, without identifying it, so it fills only empty fields.
create or replace function app.plan_interfaces(
  context app.ingest_context, interfaces app.reported_interface[], planned_hosts app.ingested_record[],
  planned_addresses app.ingested_record[], moved_addresses uuid[])
returns app.ingested_record[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if interfaces = '{}' then
    return '{}';
  end if;
  return array(
    with owner as materialized (
      select host.index, host.id, host.is_new,
        not host.is_new and app.is_united(context, host.id, moved_addresses) as is_united
      from unnest(planned_hosts) as host
      where host.index in (select sent.index from unnest(interfaces) as sent)),
    placed as materialized (
      select sent.index, sent.if_index, array_agg(distinct address.id order by address.id) as ids
      from unnest(interfaces) as sent
      cross join lateral unnest(sent.ips) as own (ip)
      join unnest(planned_addresses) as address
        on address.index = sent.index and address.key = own.ip::text
      group by sent.index, sent.if_index)
    select (sent.index, sent.if_index::text, host.id, coalesce(stored.id, app.uuid_v7()), stored.id is null,
      case when stored.id is null
        then jsonb_build_object('if_index', sent.if_index) || coalesce(filled.changes, '{}')
        else filled.changes end,
      filled.evidence_of_changes)::app.ingested_record
    from unnest(interfaces) as sent
    join owner as host on host.index = sent.index
    left join placed on placed.index = sent.index and placed.if_index = sent.if_index
    -- Addresses that move to another host leave the interface before it is written: see app.leave_interfaces.
    left join lateral (
      select known.*, array(
          select member from unnest(known.ip_address_ids) as member
          where member <> all (moved_addresses) order by member) as kept_ids,
        case when known.discovered ? 'ip_address_ids'
          then jsonb_set(known.discovered, '{ip_address_ids}',
            (known.discovered->'ip_address_ids') - moved_addresses::text[])
          else known.discovered end as kept_discovered
      from public.interfaces as known
      where known.organization_id = (select context.organization_id) and known.live_host_id = host.id
        and known.if_index = sent.if_index and not host.is_new
      offset 0) as stored on true
    cross join lateral (
      select case when stored.id is not null then app.details_of_interface(stored.name, stored.description,
          stored.type, stored.speed_bps, stored.mac_address, stored.admin_status, stored.oper_status,
          stored.alias, stored.native_vlan, stored.tagged_vlans, stored.kept_ids) end as row,
        jsonb_strip_nulls(app.details_of_interface(sent.name, sent.description, sent.type, sent.speed_bps,
          sent.mac, sent.admin_status, sent.oper_status, sent.alias, sent.native_vlan, sent.tagged_vlans,
          placed.ids)) as details
      offset 0) as said
    cross join lateral app.fillable(said.row, said.details, stored.kept_discovered, stored.evidence, '{}',
      context.daemon_id, context.watching,
      stored.id is null or (context.seen_at >= stored.last_seen_at and not host.is_united),
      null, '{}') as filled);
end
$$;

grant execute on function app.plan_interfaces to inventory_api;
