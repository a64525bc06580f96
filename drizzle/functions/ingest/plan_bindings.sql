-- Plans the bindings of a report. A stored binding covers an identical reported binding, and reported bindings to an
-- address that it includes. A service takes over ports that no service claims. It also takes over the ports of a
-- service that no longer exists, if the reporter that last saw that service has looked again with at least the same
-- coverage. Otherwise the service that has a port keeps it.
create or replace function app.plan_bindings(
  context app.ingest_context, services app.reported_service[], bindings app.reported_binding[],
  hosts app.ingested_host[], planned_hosts app.ingested_record[], planned_addresses app.ingested_record[], planned_ports app.ingested_record[],
  planned_services app.ingested_record[], moved_addresses uuid[], ended_bindings uuid[],
  superseded uuid[])
returns app.ingested_binding[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  planned_bindings app.ingested_binding[];
begin
  planned_bindings := array(
    select (sent.index, sent.position, host.id, service.key, service.id,
      service.is_unclaimed, service.is_guess, service.is_protocol, sent.type, port.id, address.id,
      case
        when standing.is_own or standing.is_same then 'covered'
        when standing.in_the_way is not null then 'dropped'
        when standing.taken_over is not null then 'taken_over'
        else 'new' end,
      standing.taken_over, standing.in_the_way)::app.ingested_binding
    from unnest(bindings) as sent
    join unnest(planned_hosts) as host on host.index = sent.index
    join (
      select planned.*, told.is_guess, lower(told.definition) as folded,
        told.is_protocol,
        app.is_unclaimed(
          coalesce(planned.changes->>'service_definition', known.service_definition)) as is_unclaimed,
        exists (
          select from public.bindings as bound
          where bound.organization_id = (select context.organization_id) and bound.live_service_id = planned.id
            and bound.type = 'IPAddress') as has_addresses
      from unnest(planned_services) as planned
      join unnest(services) as told on told.index = planned.index and told.service::text = planned.key
      left join lateral (
        select stored.service_definition from public.services as stored
        where stored.organization_id = (select context.organization_id) and stored.id = planned.id
        offset 0) as known on true) as service
      on service.index = sent.index and service.key = sent.service::text
    left join unnest(planned_ports) as port
      on port.index = sent.index and port.key = sent.number || '/' || sent.protocol
    left join unnest(planned_addresses) as address
      on address.index = sent.index and address.key = sent.ip::text
    left join lateral (
      select bool_or(other.service_id = service.id and other.type = sent.type) as is_own,
        bool_or(other.type = 'Port' and sent.type = 'Port' and other.folded = service.folded) as is_same,
        (array_agg(other.id order by other.created_at, other.id) filter (
          where not (other.service_id = service.id and other.type = sent.type)
            and not other.is_free))[1] as in_the_way,
        (array_agg(other.id order by other.created_at, other.id) filter (
          where other.service_id <> service.id and other.is_free))[1] as taken_over
      from (
        select known.*, lower(holder.service_definition) as folded,
          known.type = 'Port' and not service.is_unclaimed and known.first_discovery_id is not null
            and (app.is_unclaimed(holder.service_definition)
              or (holder.is_guess and not service.is_guess)
              or (not service.is_guess and not service.is_protocol and known.last_seen_at < context.seen_at
                and case when context.daemon_id is not null
                  then known.id = any (superseded)
                  else holder.evidence #>> '{service_definition,daemon_id}' is null
                    and exists (
                      select from unnest(hosts) as told where told.index = sent.index
                        and case sent.protocol when 'Tcp' then told.tcp else told.udp end
                          @> sent.number) end)) as is_free
        from (
          select * from public.bindings as on_port
          where on_port.organization_id = (select context.organization_id) and on_port.live_port_id = port.id
          union all
          -- For a service with thousands of ports, reads only the bindings that concern its addresses.
          select * from public.bindings as of_service
          where (service.has_addresses or sent.type = 'IPAddress')
            and of_service.organization_id = (select context.organization_id)
            and of_service.live_service_id = service.id
            and (of_service.type <> sent.type or sent.type = 'IPAddress')) as known
        cross join lateral (
          select app.is_guess(stored) as is_guess, stored.service_definition, stored.evidence
          from public.services as stored
          where stored.organization_id = (select context.organization_id) and stored.current_id = known.service_id
          offset 0) as holder) as other
      where not host.is_new and other.id <> all (ended_bindings)
        and (other.ip_address_id is null or (other.ip_address_id <> all (moved_addresses)
          and (address.id is null or other.ip_address_id = address.id)))
      ) as standing on true
    -- Leaves out bindings to an address that another host has, and to records that exceed the maximum.
    where (sent.ip is null or address.id is not null) and (sent.type <> 'Port' or port.id is not null));
  -- Only one binding in the report can take over a stored binding.
  return array(
    select (planned.index, planned.position, planned.host_id, planned.service_key,
      planned.service_id, planned.is_unclaimed, planned.is_guess, planned.is_protocol, planned.type,
      planned.port_id, planned.ip_address_id,
      case when planned.fate <> 'taken_over' then planned.fate
        when planned.position = first_value(planned.position) over taking then 'taken_over'
        when planned.service_id = first_value(planned.service_id) over taking then 'covered'
        else 'dropped' end,
      planned.taken_id,
      case when planned.fate = 'taken_over' then planned.taken_id else planned.other_id end
      )::app.ingested_binding
    from unnest(planned_bindings) as planned
    window taking as (
      partition by planned.fate, planned.index, planned.taken_id order by planned.position));
end
$$;

grant execute on function app.plan_bindings to inventory_api;
