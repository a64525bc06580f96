import { getTableColumns, getTableName } from "drizzle-orm";
import { PgArray, type PgTable } from "drizzle-orm/pg-core";
import {
  hostDetails,
  hosts,
  interfaceDetails,
  interfaceParts,
  interfaces,
  ipAddresses,
  neighborDetails,
  neighborKeyColumns,
  neighbors,
  ports,
  services,
  subnets,
} from "../../src/database/tables/index.ts";
import { type GeneratedFunction, hasColumn, lines } from "./text.ts";

type ColumnOf<Table extends PgTable> = keyof Table["_"]["columns"] & string;

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

grant execute on function app.details_of to inventory_api;
`,
};

/**
 * Generates the function that returns the columns of a record in the format that `app.fillable`
 * takes. An empty `list` is treated as absent.
 */
function detailsOfPart<Table extends PgTable>(
  table: Table,
  {
    singular,
    plain,
    list,
  }: { singular: string; plain: readonly ColumnOf<Table>[]; list: ColumnOf<Table> },
): GeneratedFunction {
  const columns = getTableColumns(table);
  const types = [...plain, list].map((name) => `${name} ${columns[name]?.getSQLType()}`);
  const name = `details_of_${singular}`;
  return {
    name,
    table: getTableName(table),
    text: `\
-- The fields of a record in the format that app.fillable takes. An empty list is treated as absent.
create or replace function app.${name}(
${lines(types, "  ")})
returns jsonb
language sql immutable parallel safe
return jsonb_build_object(
${lines(
  plain.map((column) => `'${column}', ${column}`),
  "  ",
)},
  '${list}', nullif(to_jsonb(${list}), '[]'));

grant execute on function app.${name} to inventory_api;
`,
  };
}

const isComplete = (part: string) => `'${part}' = any (sent.complete)`;

const noteReadParts: GeneratedFunction = {
  name: "note_read_parts",
  table: "interfaces",
  text: `\
-- Notes when the parts of interfaces were last read completely. These columns start no version. An
-- update without a change would report a change to a set: see app.revise_interfaces.
create or replace function app.note_read_parts(
  context app.ingest_context, interfaces app.reported_interface[],
  planned_interfaces app.ingested_record[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  update public.interfaces as known set
${lines(
  interfaceParts.map(
    (part) => `${part}_read_at = case when ${isComplete(part)}
      then greatest(known.${part}_read_at, context.seen_at) else known.${part}_read_at end`,
  ),
  "    ",
)}
  from unnest(interfaces) as sent
  join unnest(planned_interfaces) as planned
    on planned.index = sent.index and planned.key = sent.if_index::text
  where known.organization_id = (select context.organization_id) and known.id = planned.id
    and (
${interfaceParts
  .map(
    (part) =>
      `      (${isComplete(part)} and coalesce(known.${part}_read_at < context.seen_at, true))`,
  )
  .join("\n      or\n")});
end
$$;

grant execute on function app.note_read_parts to inventory_api;
`,
};

interface Reported<Column extends string> {
  /** The plural noun for the records, as used in the names of the function and its parameter. */
  plural: string;
  /** The columns that a report sets only on new records. */
  identity: readonly Column[];
  /** The columns that a report sets on new and stored records. */
  reported: readonly Column[];
  /** A parameter with the ids of records to end. */
  ended?: string;
  /** The stored records to update, and a parameter of this query. By default, the planned ones. */
  stored?: { query: string; parameter: string };
}

/** Generates the function that stores the planned changes to the records of a table. */
function writeFunction<Table extends PgTable>(
  table: Table,
  { plural, identity, reported, ended, stored }: Reported<ColumnOf<Table>>,
): GeneratedFunction {
  const name = getTableName(table);
  const planned = `planned_${plural}`;
  const source = hasColumn(table, "source") ? ["source"] : [];
  const parameters = [
    "context app.ingest_context",
    ...source.map(() => "source_type text"),
    `${planned} app.ingested_record[]`,
    ...(ended === undefined ? [] : [`${ended} uuid[]`]),
    ...(stored === undefined ? [] : [`${stored.parameter} uuid[]`]),
  ];
  // The columns in which discovery records the values that it has set.
  const notes: [column: string, value: string][] = hasColumn(table, "discovered")
    ? [
        ["discovered", "planned.changes"],
        ["evidence", "planned.evidence"],
      ]
    : [];
  const parent = hasColumn(table, "host_id") ? ["host_id"] : [];
  const added = (name: ColumnOf<Table>) => {
    const column = getTableColumns(table)[name];
    return column instanceof PgArray && column.notNull
      ? `coalesce(change.${name}, '{}')`
      : `change.${name}`;
  };
  const change = `\
  cross join lateral jsonb_populate_record(null::public.${name}, planned.changes) as change
`;
  const isSeen = "known.last_seen_at < context.seen_at";
  const text = `\
-- Stores the planned changes to ${name}${ended === undefined ? "" : `, and ends the records in \`${ended}\``}.
-- A record's last sighting is written together with its changes.
create or replace function app.write_${plural}(
${lines(parameters, "  ")})
returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  added integer;
begin
${
  ended === undefined
    ? ""
    : `\
  delete from public.${name} as known
  where known.organization_id = (select context.organization_id) and known.id = any (${ended});
`
}\
  insert into public.${name} (
${lines(
  [
    ...["organization_id", "network_id", "id", ...parent, ...identity, ...reported],
    ...[...source, ...notes.map(([column]) => column)],
    ...["last_seen_at", "first_discovery_id", "last_discovery_id"],
  ],
  "    ",
)})
  select
${lines(
  [
    ...["context.organization_id", "context.network_id", "planned.id"],
    ...parent.map((column) => `planned.${column}`),
    ...[...identity, ...reported].map(added),
    ...source.map(() => "source_type"),
    ...notes.map(([, value]) => value),
    ...["context.seen_at", "context.discovery_id", "context.discovery_id"],
  ],
  "    ",
)}
  from unnest(${planned}) as planned
${change}\
  where planned.is_new;
  get diagnostics added = row_count;
  perform app.refresh_statistics('${name}', added);
  update public.${name} as known set
${reported.map((column) => `    ${column} = coalesce(change.${column}, known.${column}),\n`).join("")}\
${notes
  .map(
    ([column, value]) => `\
    ${column} = case when ${value} is null then known.${column}
      else coalesce(known.${column}, '{}') || ${value} end,
`,
  )
  .join("")}\
    last_seen_at = greatest(known.last_seen_at, context.seen_at),
    last_discovery_id = case when ${isSeen} then context.discovery_id
      else known.last_discovery_id end
  from ${stored === undefined ? `unnest(${planned})` : `(\n${stored.query})`} as planned
${reported.length === 0 ? "" : change}\
  where known.organization_id = (select context.organization_id) and known.id = planned.id
    and not planned.is_new and ${
      notes.length === 0
        ? isSeen
        : `(planned.changes is not null or planned.evidence is not null\n      or ${isSeen})`
    };
end
$$;

grant execute on function app.write_${plural} to inventory_api;
`;
  return { name: `write_${plural}`, table: name, text };
}

/** The ingest functions that list the columns of a table. */
export const ingestFunctions: readonly GeneratedFunction[] = [
  detailsOf,
  detailsOfPart(interfaces, {
    singular: "interface",
    plain: interfaceDetails,
    list: "ip_address_ids",
  }),
  detailsOfPart(neighbors, {
    singular: "neighbor",
    plain: neighborDetails,
    list: "management_addresses",
  }),
  // A report does not change the fields of a stored subnet.
  writeFunction(subnets, {
    plural: "subnets",
    identity: ["cidr", "name", "description", "subnet_type"],
    reported: [],
  }),
  writeFunction(hosts, { plural: "hosts", identity: [], reported: ["name", ...hostDetails] }),
  writeFunction(ipAddresses, {
    plural: "addresses",
    identity: ["address"],
    reported: ["mac_address", "name", "subnet_id"],
    ended: "moved_addresses",
  }),
  writeFunction(ports, { plural: "ports", identity: ["number", "protocol"], reported: [] }),
  writeFunction(interfaces, {
    plural: "interfaces",
    identity: ["if_index"],
    reported: [...interfaceDetails, "ip_address_ids"],
    ended: "ended_interfaces",
  }),
  noteReadParts,
  writeFunction(neighbors, {
    plural: "neighbors",
    identity: neighborKeyColumns,
    reported: [...neighborDetails, "management_addresses"],
    ended: "ended_neighbors",
  }),
  writeFunction(services, {
    plural: "services",
    identity: [],
    reported: ["name", "service_definition", "version", "virtualization"],
    stored: {
      parameter: "seen_bindings",
      // If several ports belong to one stored service, the first one is used. Services that the
      // report identifies differently count as seen if their bindings are seen.
      query: `\
    (select distinct on (planned.id) planned.* from unnest(planned_services) as planned
    where not planned.is_new order by planned.id, planned.key::int)
    union all
    select distinct null::int, null, null::uuid, seen.service_id, false, null::jsonb, null::jsonb
    from public.bindings as seen
    where seen.organization_id = (select context.organization_id) and seen.id = any (seen_bindings)
      and not exists (
        select from unnest(planned_services) as planned where planned.id = seen.service_id)`,
    },
  }),
];
