-- Seen again: what stands on a port that is open, unless another product was found there, and what stands in
-- the way of a binding of the report otherwise.
create or replace function app.seen_bindings(context app.ingest_context, planned_bindings app.ingested_binding[])
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    select known.id
    from unnest(planned_bindings) as planned
    join public.bindings as known on known.organization_id = context.organization_id
      and known.live_port_id = planned.port_id
    where (known.ip_address_id is null or planned.ip_address_id is null
        or known.ip_address_id = planned.ip_address_id)
      and (planned.fate <> 'dropped' or planned.is_unclaimed or planned.is_guess
        or planned.is_protocol or known.service_id = planned.service_id)
    union
    select known.id
    from unnest(planned_bindings) as planned
    join public.bindings as known on known.organization_id = context.organization_id
      and known.live_ip_address_id = planned.ip_address_id
    where known.service_id = planned.service_id and known.type = 'IPAddress'
      and planned.type = 'IPAddress'
    union
    select known.id
    from unnest(planned_bindings) as planned
    join public.bindings as known on known.organization_id = context.organization_id
      and known.id = planned.other_id
    where planned.fate = 'dropped' and known.type = 'IPAddress');
end
$$;

grant execute on function app.seen_bindings(app.ingest_context, app.ingested_binding[]) to inventory_api;
