-- Absence: returns the interfaces to end. They were created by discovery, and a report with their host's complete
-- interface table does not contain them. `complete`: the indexes of the hosts with complete tables. Interfaces that
-- were seen after the report are kept, and so are interfaces of another host that a user consolidated into the reported
-- host. For daemons, see app.covered_records.
create or replace function app.absent_interfaces(
  context app.ingest_context, complete int[], contested uuid[], planned_hosts app.ingested_record[],
  planned_interfaces app.ingested_record[], moved_addresses uuid[])
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return app.covered_records(context, 'interfaces', array(
    select stored.id
    from unnest(planned_hosts) as host
    cross join lateral (
      select known.id from public.interfaces as known
      where known.organization_id = (select context.organization_id) and known.live_host_id = host.id
        and known.first_discovery_id is not null and known.last_seen_at <= context.seen_at
      offset 0) as stored
    where host.index = any (complete) and not host.is_new and host.id <> all (contested)
      and not app.is_united(context, host.id, moved_addresses)
      and stored.id not in (select planned.id from unnest(planned_interfaces) as planned)
      and not exists (
        select from public.interfaces as version
        where version.organization_id = (select context.organization_id) and version.live_id = stored.id
          and version.host_id <> host.id)));
end
$$;

grant execute on function app.absent_interfaces to inventory_api;
