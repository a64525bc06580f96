-- What was guessed and loses its last port to what a probe found was never there; unless a person has named
-- it.
create or replace function app.emptied_services(
  context app.ingest_context, planned_services app.ingested_record[], planned_bindings app.ingested_binding[])
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    select distinct holder.id
    from unnest(planned_bindings) as planned
    join public.bindings as taken on taken.organization_id = context.organization_id
      and taken.id = planned.taken_id and planned.fate = 'taken_over'
    join public.services as holder on holder.organization_id = context.organization_id
      and holder.current_id = taken.service_id
    where app.is_guess(holder) and to_jsonb(holder.name) = holder.discovered->'name'
      and holder.id not in (select id from unnest(planned_services) as own));
end
$$;

grant execute on function app.emptied_services(app.ingest_context, app.ingested_record[], app.ingested_binding[]) to inventory_api;
