-- Plans the addresses of the planned hosts. An address that another host keeps stays there; a bridge address is also
-- added to this host. A subnet that a user has set is kept.
create or replace function app.plan_addresses(
  context app.ingest_context, addresses app.ingested_address[], planned_hosts app.ingested_record[],
  moved_addresses uuid[], issues app.ingested_issue[])
returns app.ingested_record[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    select (sent.index, sent.address::text, host.id, coalesce(stored.id, app.uuid_v7()),
      stored.id is null,
      case when stored.id is null
        then jsonb_build_object('address', sent.address) || coalesce(filled.changes, '{}')
          || case when home.id is null then '{}' else jsonb_build_object('subnet_id', home.id) end
        else nullif(coalesce(filled.changes, '{}')
          || case when home.id is not null and home.id is distinct from stored.subnet_id
              and (stored.subnet_id is null
                or to_jsonb(stored.subnet_id) = stored.discovered->'subnet_id')
            then jsonb_build_object('subnet_id', home.id) else '{}' end, '{}') end,
      filled.evidence_of_changes)::app.ingested_record
    from unnest(addresses) as sent
    join unnest(planned_hosts) as host on host.index = sent.index
    left join lateral (
      select * from public.ip_addresses as known
      where known.organization_id = (select context.organization_id) and known.live_host_id = host.id
        and known.address = sent.address and not host.is_new
      order by known.subnet_id is not distinct from sent.subnet_id desc, known.created_at, known.id
      limit 1) as stored on true
    left join lateral (
      select sent.subnet_id as id where stored.subnet_id is distinct from sent.subnet_id
        and not exists (
          select from public.ip_addresses as other where other.organization_id = (select context.organization_id)
            and other.live_subnet_id = sent.subnet_id and other.address = sent.address
            and other.id <> all (moved_addresses))) as home
      on true
    cross join lateral (
      select case when stored.id is not null then jsonb_build_object(
          'mac_address', stored.mac_address, 'name', stored.name) end as row,
        jsonb_strip_nulls(jsonb_build_object('mac_address', sent.mac, 'name', sent.name)) as details
      offset 0) as said
    cross join lateral app.fillable(said.row, said.details, stored.discovered, stored.evidence, '{}',
      context.daemon_id, context.watching,
      stored.id is null or context.seen_at >= stored.last_seen_at, null, '{}') as filled
    where stored.id is not null or (sent.index, sent.position) not in (
      select raised.index, raised.position from unnest(issues) as raised
      where raised.kind = 'taken_address'));
end
$$;

grant execute on function app.plan_addresses to inventory_api;
