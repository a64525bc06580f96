import { hostDetails } from "../../src/database/tables/index.ts";
import { type GeneratedFunction, lines } from "./text.ts";

const detailsOf: GeneratedFunction = {
  name: "details_of",
  table: "hosts",
  text: `\
-- The details of a host that a report can contain besides the name.
create or replace function app.details_of(host public.hosts) returns jsonb
language sql stable parallel safe
return jsonb_build_object(
${lines(
  hostDetails.map((name) => `'${name}', (host).${name}`),
  "  ",
)});

grant execute on function app.details_of(hosts) to inventory_api;
`,
};

/** The columns that a report can set. */
const reported = ["name", ...hostDetails];

const writeHosts: GeneratedFunction = {
  name: "write_hosts",
  table: "hosts",
  text: `\
-- Stores the planned changes to hosts. A host's last sighting is written together with its changes.
create or replace function app.write_hosts(
  context app.ingest_context, source_type text, planned_hosts app.ingested_record[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  added integer;
begin
  insert into public.hosts (
    organization_id, network_id, id,
${lines(reported, "    ")},
    source, discovered, evidence, last_seen_at, first_discovery_id, last_discovery_id)
  select
    context.organization_id, context.network_id, planned.id,
${lines(
  reported.map((name) => `change.${name}`),
  "    ",
)},
    source_type, planned.changes, planned.evidence, context.seen_at, context.discovery_id,
    context.discovery_id
  from unnest(planned_hosts) as planned
  cross join lateral jsonb_populate_record(null::public.hosts, planned.changes) as change
  where planned.is_new;
  get diagnostics added = row_count;
  perform app.refresh_statistics('hosts', added);
  -- The plans of the foreign keys below may be from a time when the tables were empty.
  discard plans;
  update public.hosts as known set
${reported.map((name) => `    ${name} = coalesce(change.${name}, known.${name}),`).join("\n")}
    discovered = case when planned.changes is null then known.discovered
      else coalesce(known.discovered, '{}') || planned.changes end,
    evidence = case when planned.evidence is null then known.evidence
      else coalesce(known.evidence, '{}') || planned.evidence end,
    last_seen_at = greatest(known.last_seen_at, context.seen_at),
    last_discovery_id = case when known.last_seen_at < context.seen_at then context.discovery_id
      else known.last_discovery_id end
  from unnest(planned_hosts) as planned
  cross join lateral jsonb_populate_record(null::public.hosts, planned.changes) as change
  where known.organization_id = (select context.organization_id) and known.id = planned.id
    and not planned.is_new and (planned.changes is not null or planned.evidence is not null
      or known.last_seen_at < context.seen_at);
end
$$;

grant execute on function app.write_hosts(app.ingest_context, text, app.ingested_record[]) to inventory_api;
`,
};

/** The ingest functions that list host details. */
export const ingestFunctions: readonly GeneratedFunction[] = [detailsOf, writeHosts];
