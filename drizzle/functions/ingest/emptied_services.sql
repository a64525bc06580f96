-- Returns guessed services that lose their last port to a service that a probe found. Such a service never existed. A
-- service that a user has renamed is kept.
create or replace function app.emptied_services(
  context app.ingest_context, planned_services app.ingested_record[], planned_bindings app.ingested_binding[])
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    select distinct holder.id
    from unnest(planned_bindings) as planned
    cross join lateral (
      select bound.service_id from public.bindings as bound
      where bound.organization_id = (select context.organization_id) and bound.id = planned.taken_id
      offset 0) as taken
    cross join lateral (
      select stored.id from public.services as stored
      where stored.organization_id = (select context.organization_id) and stored.current_id = taken.service_id
        and app.is_guess(stored) and to_jsonb(stored.name) = stored.discovered->'name'
      offset 0) as holder
    where planned.fate = 'taken_over'
      and holder.id not in (select id from unnest(planned_services) as own));
end
$$;

grant execute on function app.emptied_services to inventory_api;
