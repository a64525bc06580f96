-- The gate of a visit: the first statement of a poller's batch. Aborts the transaction unless the poller still holds
-- the lease and the organization is active. Until app.leave_visit, functions that run as inventory_ingest see and write
-- only the daemon's own network.
-- As after app.enter, Postgres does not start parallel workers, does not use JIT, and prefers indexes.
create or replace function app.enter_visit(organization uuid, daemon uuid, generation bigint) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  visited uuid;
begin
  perform set_config('max_parallel_workers_per_gather', '0', true),
    set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true);
  -- Clears the key of an earlier transaction on the same connection.
  perform set_config('app.key_hash', '', true);
  select known.network_id into visited from public.daemons as known
  where known.organization_id = organization and known.id = daemon
    and known.poll_generation = generation and known.lease_expires_at > now()
    and not app.is_suspended(organization)
  for no key update;
  if not found then
    perform app.abort('entity_not_found', jsonb_build_object('entity', 'Daemon', 'id', daemon));
  end if;
  insert into app.daemon_visits (organization_id, network_id, daemon_id)
  values (organization, visited, daemon);
end
$$;

grant execute on function app.enter_visit to inventory_poller;
