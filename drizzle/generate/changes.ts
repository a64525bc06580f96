import { getTableName } from "drizzle-orm";
import type { Kind, kinds } from "../../src/database/tables/kinds.ts";
import { versionColumns } from "../../src/database/tables/version-columns.ts";
import type { RecordKind } from "../records.ts";
import { type GeneratedFunction, hasColumn, lines, literal } from "./text.ts";

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

/** Returns SQL that selects the labels of records of a kind with history, by id. */
function labelsOfVersions(all: typeof kinds, kind: Kind): string {
  const label = labelOf(all, kind);
  const relation = getTableName(kind.table);
  return `
        select wanted.id, coalesce(known.label, past.label)
        from unnest(ids) as wanted (id)
        left join lateral (
          select ${label.replaceAll("%1$s", "shown")} as label
          from public.${relation} as version
          where version.live_id = wanted.id and version.valid_from <= shown
            and case when version.valid_to is null then 'infinity'::timestamptz else version.valid_to end > shown
          limit 1) as known on true
        left join lateral (
          select ${label.replaceAll("%1$s", "(version.valid_to - interval '1 millisecond')")} as label
          from public.${relation} as version
          where instant is null and known.label is null
            and version.live_id = wanted.id and version.valid_to is not null
          order by version.valid_to desc
          limit 1) as past on true
        where coalesce(known.label, past.label) is not null;
`;
}

/** Returns SQL that selects the names of records without history, by id. */
const namesOfRecords = ({ table }: Pick<RecordKind, "table">) => `
        select wanted.id, known.name
        from unnest(ids) as wanted (id)
        cross join lateral (
          select record.name from public.${getTableName(table)} as record
          where record.id = wanted.id
          limit 1) as known;
`;

/** Generates `app.labels`, which returns the names for people of records of any kind. */
export function labels(
  all: typeof kinds,
  records: Readonly<Record<string, Pick<RecordKind, "table">>>,
): GeneratedFunction {
  const branches = [
    ...Object.entries(all).map(([entity, kind]) => [entity, labelsOfVersions(all, kind)] as const),
    ...Object.entries(records)
      .filter(([, { table }]) => hasColumn(table, "name"))
      .map(([entity, record]) => [entity, namesOfRecords(record)] as const),
  ].map(
    ([entity, select]) => `\
    when '${entity}' then
      return query${select}`,
  );
  const text = `\
-- The labels of the records of one kind with these ids, at an instant. If it is null, the labels are
-- those of the live versions, and of the last versions of records that have ended. Records that the
-- caller cannot see have none. Records without history have their current names. A scan has no label.
create or replace function app.labels(entity text, ids uuid[], instant timestamptz)
returns table (id uuid, label text)
language plpgsql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  shown constant timestamptz := coalesce(instant, '9999-12-31T23:59:59.999Z');
begin
  case entity
${branches.join("")}    else
      return;
  end case;
end
$$;

grant execute on function app.labels to inventory_api;
`;
  return { name: "labels", text };
}
