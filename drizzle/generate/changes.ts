import { getTableName } from "drizzle-orm";
import type { Kind, kinds } from "../../src/database/tables/kinds.ts";
import { versionColumns } from "./history.ts";
import { type GeneratedFunction, lines, literal } from "./text.ts";

/** Returns SQL for an id in a neighbor: two columns that callers read as one field. */
const identifierOf = (part: string) =>
  `json_build_object('subtype', version.${part}_subtype, 'value', version.${part}_value)`;

/** Columns that callers read as part of another column's field. */
const merged = ["chassis_value", "port_value"];

/** Columns that callers read in a different format. */
const forms: Readonly<Record<string, string>> = {
  address: "host(version.address) as ip_address",
  chassis_subtype: `${identifierOf("chassis")} as chassis_id`,
  cidr: "version.cidr::text as cidr",
  mac_address: "upper(version.mac_address::text) as mac_address",
  port_subtype: `case when version.port_subtype is not null then ${identifierOf("port")} end as port_id`,
  source: "json_build_object('type', version.source) as source",
};

/**
 * Returns a format string for SQL that reads a value from a referenced record's version at an
 * instant.
 */
const atInstant = ({ table }: Kind, column: string, value: string) => `(
          select ${value} from public.${getTableName(table)} as known
          where known.live_id = version.${column} and known.valid_from <= %1$s
            and case when known.valid_to is null then 'infinity'::timestamptz else known.valid_to end > %1$s
          limit 1)`;

/** The kinds that a kind references, each with the referencing column. */
const referredTo = (all: typeof kinds, { of = {} }: Kind) =>
  Object.entries(of).flatMap(([column, entity]) =>
    entity === undefined ? [] : [{ column, kind: all[entity] }],
  );

function hostOf(all: typeof kinds, kind: Kind): string {
  const [first] = referredTo(all, kind);
  if (first !== undefined) {
    return atInstant(first.kind, first.column, "known.host_id");
  }
  return { host_id: "version.host_id", id: "version.live_id", none: "null::uuid" }[
    kind.parent ?? "none"
  ];
}

const labelOf = (all: typeof kinds, kind: Kind): string =>
  kind.label ??
  `concat_ws(' ', ${referredTo(all, kind)
    .map((one) =>
      atInstant(one.kind, one.column, one.kind.label?.replaceAll("version.", "known.") ?? "null"),
    )
    .join(", ")})`;

/**
 * Returns SQL that compares the natural keys of `other` and `version`. A part of a host is looked
 * up only by its first column: an index on another column, such as the port number, contains
 * entries for all hosts. `is not distinct from` cannot use an index.
 */
function isSame({ parent, key, silent = [] }: Kind): string {
  const isOnHost = parent === "host_id";
  const columns = isOnHost && !silent.includes("host_id") ? ["host_id", ...key] : key;
  return columns
    .map((name, position) =>
      isOnHost && position > 0
        ? `other.${name} is not distinct from version.${name}`
        : `other.${name} = version.${name}`,
    )
    .join("\n        and ");
}

const fieldsOf = (kind: Kind) =>
  lines(
    versionColumns(kind)
      // Every change states the network separately from its fields.
      .filter((name) => name !== "network_id" && !merged.includes(name))
      .map((name) => forms[name] ?? `version.${name}`),
    "        ",
  ).trimStart();

/**
 * Generates `app.change_kinds`, which returns the kinds with history, for queries that are composed
 * from them.
 */
export function changeKinds(all: typeof kinds): GeneratedFunction {
  const rows = Object.entries(all).map(
    ([entity, kind]) => `\
    ('${entity}', '${getTableName(kind.table)}', ${literal(hostOf(all, kind))},
      ${literal(fieldsOf(kind))},
      ${literal(labelOf(all, kind))},
      ${literal(isSame(kind))})`,
  );
  const text = `\
-- The kinds of records with history, in the order of changes, with SQL that reads each kind.
-- \`host_id\` is the host that a version belonged to, as a format string that takes the instant: a
-- binding moves to another host with its service, without a new version. \`fields\` are the columns
-- whose changes start a version, in the format that callers read. \`label\` is the version's name
-- for people, as a format string that takes the instant. \`is_same\` compares the natural keys of
-- two versions, \`version\` and \`other\`.
create or replace function app.change_kinds()
returns table (entity text, relation text, host_id text, fields text, label text, is_same text)
language sql immutable set search_path = pg_catalog, pg_temp as $$
  values
${rows.join(",\n")}
$$;

grant execute on function app.change_kinds to inventory_api;
`;
  return { name: "change_kinds", text };
}
