-- Returns the bindings that are seen again: bindings on an open port, unless another product was found there, and
-- bindings to a whole address that equal a reported binding or conflict with one.
create or replace function app.seen_bindings(context app.ingest_context, planned_bindings app.ingested_binding[])
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    select known.id
    from unnest(planned_bindings) as planned
    cross join lateral (
      select bound.* from public.bindings as bound
      where bound.organization_id = (select context.organization_id) and bound.live_port_id = planned.port_id
      offset 0) as known
    where (known.ip_address_id is null or planned.ip_address_id is null
        or known.ip_address_id = planned.ip_address_id)
      and (planned.fate <> 'dropped' or planned.is_unclaimed or planned.is_guess
        or planned.is_protocol or known.service_id = planned.service_id)
    union
    select known.id
    from unnest(planned_bindings) as planned
    cross join lateral (
      select bound.* from public.bindings as bound
      where bound.organization_id = (select context.organization_id)
        and bound.live_ip_address_id = planned.ip_address_id
      offset 0) as known
    where known.service_id = planned.service_id and known.type = 'IPAddress'
      and planned.type = 'IPAddress'
    union
    select known.id
    from unnest(planned_bindings) as planned
    cross join lateral (
      select bound.* from public.bindings as bound
      where bound.organization_id = (select context.organization_id) and bound.id = planned.other_id
      offset 0) as known
    where planned.fate = 'dropped' and known.type = 'IPAddress');
end
$$;

grant execute on function app.seen_bindings to inventory_api;
