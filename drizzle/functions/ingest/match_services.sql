-- Matches the services in a report with stored services. A service is identified by its definition and its container.
-- If the report lists services by port, a service is also identified by its port, and a product then matches the
-- well-known service that it provides. A service guessed from a port becomes the service that a probe finds there.
create or replace function app.match_services(
  context app.ingest_context, services app.reported_service[], bindings app.reported_binding[], planned_hosts app.ingested_record[],
  planned_ports app.ingested_record[])
returns app.ingested_service[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    with sent as materialized (
      select every.*, lower(every.definition) as folded, host.id as host_id, host.is_new as is_on_new
      from unnest(services) as every
      join unnest(planned_hosts) as host on host.index = every.index),
    -- The stored services on the ports of reported services.
    held as materialized (
      select claimed.index, claimed.service, holder.id, holder.name, holder.created_at,
        lower(holder.service_definition) as folded, app.container_of(holder.virtualization) as container
      from unnest(bindings) as claimed
      join unnest(planned_ports) as port on not port.is_new and port.index = claimed.index
        and port.key = claimed.number || '/' || claimed.protocol
      cross join lateral (
        select known.service_id from public.bindings as known
        where known.organization_id = (select context.organization_id) and known.live_port_id = port.id
        offset 0) as bound
      cross join lateral (
        select known.* from public.services as known
        where known.organization_id = (select context.organization_id) and known.current_id = bound.service_id
        offset 0) as holder),
    on_port as materialized (
      select distinct on (sent.index, sent.service) sent.index, sent.service, held.id
      from sent join held on held.index = sent.index and held.service = sent.service
        and held.container is not distinct from sent.container
        and (held.folded = sent.folded
          or (sent.is_of_port and not sent.is_guess and held.folded = lower(sent.name) and not exists (
            select from public.services as holder
            where holder.organization_id = (select context.organization_id) and holder.current_id = held.id
              and app.is_guess(holder))))
      order by sent.index, sent.service, held.folded = sent.folded desc, held.name = sent.name desc,
        held.created_at, held.id),
    missing as materialized (
      select sent.* from sent left join on_port using (index, service)
      where on_port.id is null and not sent.is_on_new),
    elsewhere as (
      select missing.index, missing.service, stored.id from missing cross join lateral (
        select known.id from public.services as known
        where known.organization_id = (select context.organization_id) and known.live_host_id = missing.host_id
          and lower(known.service_definition) = missing.folded
          and app.container_of(known.virtualization) is not distinct from missing.container
        order by known.name = missing.name desc, known.created_at, known.id limit 1) as stored
      where not missing.is_of_port),
    -- A service that has no live bindings left, for example because its port was closed.
    idle as (
      select wanting.index, wanting.service, idle.id
      from (
        select *, row_number() over same as place from missing where is_of_port
        window same as (partition by index, folded, container order by service)) as wanting
      join (
        select known.host_id, known.id, lower(known.service_definition) as folded,
          app.container_of(known.virtualization) as container,
          row_number() over (
            partition by known.host_id, lower(known.service_definition),
              app.container_of(known.virtualization)
            order by known.created_at, known.id) as place
        from (select distinct host_id as id from missing where is_of_port) as host
        cross join lateral (
          select every.* from public.services as every
          where every.organization_id = (select context.organization_id) and every.live_host_id = host.id
          offset 0) as known
        where not exists (
          select from public.bindings as bound
          where bound.organization_id = (select context.organization_id) and bound.live_service_id = known.id
          offset 0)) as idle
        on idle.host_id = wanting.host_id and idle.folded = wanting.folded
          and idle.container is not distinct from wanting.container and idle.place = wanting.place),
    found as (
      select * from on_port union all select * from elsewhere union all select * from idle),
    guessed as (
      select distinct on (one.id) one.index, one.service, one.id
      from (
        select distinct on (free.index, free.service) free.index, free.service, free.id
        from (
          select missing.index, missing.service, held.id, held.created_at, count(*) as ports
          from missing left join found using (index, service)
          join held on held.index = missing.index and held.service = missing.service
          where found.id is null and not missing.is_guess and not app.is_unclaimed(missing.definition)
          group by missing.index, missing.service, held.id, held.created_at) as free
        where exists (
            select from public.services as holder
            where holder.organization_id = (select context.organization_id) and holder.current_id = free.id
              and app.is_guess(holder)
            offset 0)
          -- The service has no other port.
          and free.ports >= (
            select count(*) from public.bindings as every
            where every.organization_id = (select context.organization_id) and every.live_service_id = free.id)
        order by free.index, free.service, free.created_at, free.id) as one
      order by one.id, one.service)
    select (sent.index, sent.service, sent.host_id, coalesce(found.id, guessed.id, app.uuid_v7()),
      coalesce(found.id, guessed.id) is null, guessed.id is not null,
      not sent.is_guess and not app.is_unclaimed(sent.definition), sent.name, sent.definition,
      sent.version, sent.virtualization, sent.runner)::app.ingested_service
    from sent left join found using (index, service) left join guessed using (index, service));
end
$$;

grant execute on function app.match_services to inventory_api;
