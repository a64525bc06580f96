-- Plans the services of a report. Merging: see app.fillable. Several services in the report, on different ports, may
-- match one stored service. The first of them then represents all of them, and a name or version on which they disagree
-- does not replace the stored one.
create or replace function app.plan_services(context app.ingest_context, services app.ingested_service[])
returns app.ingested_record[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    with chosen as materialized (
      select known.*, row_number() over (same order by known.service) = 1 as is_first,
        min(known.name) over same as least_name, max(known.name) over same as greatest_name,
        min(known.version) over same as least_version, max(known.version) over same as greatest_version
      from unnest(services) as known window same as (partition by known.id))
    select (chosen.index, chosen.service, chosen.host_id, chosen.id, chosen.is_new, filled.changes,
      filled.evidence_of_changes)::app.ingested_record
    from chosen
    left join chosen as runner on runner.index = chosen.index and runner.service = chosen.runner
    left join lateral (
      select known.* from public.services as known
      where known.organization_id = (select context.organization_id) and known.current_id = chosen.id
      offset 0) as stored on true
    cross join lateral (
      select case when chosen.virtualization is null then null
        else jsonb_set(chosen.virtualization, '{details,service_id}', coalesce(to_jsonb(runner.id),
          stored.virtualization #> '{details,service_id}', 'null')) end as virtualization
      offset 0) as run
    cross join lateral (
      select case when chosen.least_name = chosen.greatest_name then chosen.name
          else coalesce(stored.name, chosen.name) end as name,
        case when chosen.least_version = chosen.greatest_version then chosen.least_version
          else coalesce(stored.version, chosen.least_version) end as version
      offset 0) as agreed
    cross join lateral (
      -- Skips most services that an import sees again, as they are unchanged.
      select case when chosen.is_first and (context.daemon_id is not null or stored.id is null
          or chosen.is_replacing or stored.name <> agreed.name
          or stored.version is distinct from coalesce(agreed.version, stored.version)
          or stored.virtualization is distinct from coalesce(run.virtualization, stored.virtualization)
          or (chosen.is_probed and stored.evidence #>> '{service_definition,rank}' is null))
        then jsonb_build_object('name', agreed.name, 'service_definition',
            case when chosen.is_replacing then chosen.definition
              else coalesce(stored.service_definition, chosen.definition) end)
          || case when agreed.version is null then '{}'
            else jsonb_build_object('version', agreed.version) end
          || case when run.virtualization is null then '{}'
            else jsonb_build_object('virtualization', run.virtualization) end
        end as details,
        case when not chosen.is_probed then '{}'
          when agreed.version is null then '{"name": {"rank": 1}, "service_definition": {"rank": 1}}'
          else '{"name": {"rank": 1}, "service_definition": {"rank": 1}, "version": {"rank": 1}}'
          end::jsonb as ranks
      offset 0) as said
    cross join lateral app.fillable(
      case when stored.id is not null and said.details is not null then jsonb_build_object(
        'name', stored.name, 'service_definition', stored.service_definition,
        'version', stored.version, 'virtualization', stored.virtualization) end,
      said.details, stored.discovered, stored.evidence, said.ranks, context.daemon_id,
      context.watching, stored.id is null or context.seen_at >= stored.last_seen_at, null, '{}') as filled);
end
$$;

grant execute on function app.plan_services to inventory_api;
