-- Returns the bindings on ports where the daemon now finds other services, if the daemon last saw them in an earlier
-- scan whose coverage was no wider than this scan's.
create or replace function app.superseded_bindings(
  context app.ingest_context, bindings app.reported_binding[], planned_ports app.ingested_record[],
  planned_services app.ingested_record[])
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  own_scan record;
begin
  select handed.started_at, handed.scope_id, scope.is_full into own_scan
  from app.handed_scans as handed
  join app.scan_scopes as scope
    on scope.organization_id = (select context.organization_id) and scope.id = handed.scope_id
  where handed.organization_id = (select context.organization_id)
    and handed.session_id = context.discovery_id;
  return app.looked_for(own_scan.scope_id, array(
    with claimed as materialized (
      select port.id as port_id, service.id as service_id
      from unnest(bindings) as sent
      join unnest(planned_ports) as port
        on port.index = sent.index and port.key = sent.number || '/' || sent.protocol
      join unnest(planned_services) as service
        on service.index = sent.index and service.key = sent.service::text)
    select (known.id, known.host_id, earlier.scope_id)::app.unseen_record
    from unnest(planned_ports) as port
    cross join lateral (
      select bound.* from public.bindings as bound
      where bound.organization_id = (select context.organization_id) and bound.live_port_id = port.id
      offset 0) as known
    left join lateral (
      select handed.* from app.handed_scans as handed
      where handed.organization_id = (select context.organization_id)
        and handed.session_id = known.last_discovery_id and handed.daemon_id = context.daemon_id
      offset 0) as earlier on true
    left join lateral (
      select looked.is_full from app.scan_scopes as looked
      where looked.organization_id = (select context.organization_id) and looked.id = earlier.scope_id
      offset 0) as scope on true
    where own_scan.scope_id is not null and known.last_discovery_id <> context.discovery_id
      and (port.id, known.service_id) not in (select * from claimed)
      and (known.last_discovery_id = context.daemon_id
        or (earlier.started_at < own_scan.started_at
          and (own_scan.is_full or not scope.is_full)))));
end
$$;

grant execute on function app.superseded_bindings to inventory_ingest;
