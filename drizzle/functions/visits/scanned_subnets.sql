-- The live subnets that a pending scan names, in the format of the daemon protocol. A scan names them by id, and a
-- polled daemon has no server that it could ask for their blocks. Older daemons ignore them. Fields that do not matter
-- to a scan are short and constant: a daemon could refuse a scan because one of them is missing, or because the scan is
-- larger than the 2 MB that its HTTP server accepts by default.
create or replace function app.scanned_subnets(organization uuid, daemon uuid, generation bigint, scan uuid)
returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select coalesce(jsonb_agg(jsonb_build_object(
      'id', subnet.current_id, 'created_at', subnet.created_at, 'updated_at', subnet.updated_at,
      'valid_from', subnet.valid_from, 'valid_to', null, 'lineage_id', null, 'last_seen_at', subnet.last_seen_at,
      'network_id', subnet.network_id, 'cidr', subnet.cidr, 'cidr_source', 'DaemonSelfReport', 'name', subnet.cidr,
      'description', null, 'subnet_type', subnet.subnet_type,
      'source', jsonb_build_object('type', 'Discovery'), 'tags', '[]'::jsonb, 'virtualization_service_id', null,
      'first_discovery_id', null, 'last_discovery_id', null) order by subnet.cidr), '[]')
  from public.daemons as known
  join public.discovery_sessions as session
    on session.organization_id = known.organization_id and session.daemon_id = known.id
  join public.subnets as subnet
    on subnet.organization_id = known.organization_id and subnet.current_id = any (session.subnet_ids)
    and subnet.network_id = known.network_id
  where known.organization_id = organization and known.id = daemon
    and known.poll_generation = generation and known.lease_expires_at > now()
    and session.id = scan and session.phase = 'Pending'
$$;

grant execute on function app.scanned_subnets to inventory_poller;
