import { getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { times } from "../../src/database/tables/columns.ts";
import { writtenColumns } from "../../src/database/tables/version-columns.ts";
import type { MemberSet, RecordKind } from "../records.ts";
import { comparison } from "./history.ts";
import { type GeneratedFunction, hasColumn, literal, snakeCase, triggerFunction } from "./text.ts";

type Entry<Value> = readonly [entity: string, record: Value];

/** Returns the triggers that reject all writes by keys limited to specific networks. */
const refusalRules = (table: PgTable): string => `\
-- Restrictions on keys.
create trigger refuse_limited_key before insert or update or delete on ${getTableName(table)}
  for each statement execute function app.refuse_limited_key();
`;

/**
 * Returns the triggers that restrict how keys limited to specific networks change a set of these
 * records.
 */
export function limitedKeyRules({ table }: MemberSet, { limitedKeys }: RecordKind): string {
  const name = getTableName(table);
  // An assignment may also be deleted together with its host.
  const deleted = hasColumn(table, "host_id") ? "refuse_unassignment" : "refuse";
  const rules = {
    refused: refusalRules(table),
    assignments: `\
-- Restrictions on keys.
create trigger refuse_deletion_beyond_reach after delete on ${name}
  referencing old table as changed for each statement execute function app.${deleted}_beyond_reach();
create trigger refuse_insertion_beyond_reach after insert on ${name}
  referencing new table as changed for each statement execute function app.refuse_beyond_reach();
`,
    policies: "",
  };
  return rules[limitedKeys];
}

/**
 * Returns the triggers for the revision, the limit and the audit log of a kind of record without
 * history.
 */
export function recordRules(entity: string, record: RecordKind): string {
  const name = getTableName(record.table);
  const { maximum, plural = name } = record;
  const sections = [
    touchRules(record),
    record.limitedKeys === "refused" && refusalRules(record.table),
    maximum !== undefined &&
      `\
-- Limits.
create trigger bound_records after insert on ${name}
  referencing new table as changed for each statement when (current_user = 'inventory_api')
  execute function app.bound_records('${maximum}', ${literal(plural)});
`,
    record.audited !== undefined && auditRules(entity, record),
  ];
  return sections.filter((section) => section !== false).join("\n");
}

/** Columns that identify a record, or that `app.touch` sets. */
const unwritten = [...Object.keys(times()), "id", "organization_id"];

/**
 * The trigger that increments the revision. An update that does not change any column reports a
 * change to a set: see `reviseFunction`.
 */
function touchRules({ table, silent = [], revisedWhen }: RecordKind): string {
  const columns = writtenColumns(table).filter(
    (name) => !unwritten.includes(name) && !silent.includes(name),
  );
  const conditions = [
    ...(revisedWhen === undefined ? [] : [revisedWhen]),
    ...(silent.length === 0
      ? []
      : [
          `
${comparison(columns, "is distinct from", "    ")}
    or
${comparison(silent, "is not distinct from", "    ")}`,
        ]),
  ];
  const when = conditions.length === 0 ? "" : ` when (${conditions.join(" and ")})`;
  return `\
-- Every change advances updated_at and increments revision.
create trigger touch before update on ${getTableName(table)}
  for each row${when}
  execute function app.touch();
`;
}

/** The audited columns of each field, by field name. */
const auditedColumns = ({ audited }: RecordKind): [field: string, columns: readonly string[]][] =>
  [
    ...(audited?.fields.map((field): [string, readonly string[]] => [field, [field]]) ?? []),
    ...Object.entries(audited?.as ?? {}),
  ].toSorted(([one], [other]) => (one < other ? -1 : 1));

function auditRules(entity: string, record: RecordKind): string {
  const name = getTableName(record.table);
  const columns = auditedColumns(record).flatMap(([, of]) => of);
  const when = record.audited?.when;
  const isChanged = columns.map((column) => `new.${column} is distinct from old.${column}`);
  const isAudited = `(${isChanged.join("\n    or ")})`;
  const counted =
    record.maximum === undefined
      ? ""
      : `\
create trigger audit_created after insert on ${name}
  referencing new table as changed for each statement execute function app.audit_records('${entity}');
create trigger audit_deleted after delete on ${name}
  referencing old table as changed for each statement execute function app.audit_records('${entity}');
`;
  return `\
-- The audit log.
${counted}create trigger audit_changed
  after update of ${columns.join(", ")} on ${name}
  for each row when (${when === undefined ? isAudited : `${when} and ${isAudited}`})
  execute function app.audit_${snakeCase(entity)}();
`;
}

/** Generates the function that writes the changed fields of a kind of record to the audit log. */
export function auditFunction(entity: string, record: RecordKind): GeneratedFunction[] {
  const { table, audited } = record;
  if (audited === undefined) {
    return [];
  }
  const name = `audit_${snakeCase(entity)}`;
  const fields = auditedColumns(record).map(([field, columns]) => {
    const changed =
      columns.length === 1
        ? `new.${columns[0]} is distinct from old.${columns[0]}`
        : `(${columns.map((column) => `new.${column}`).join(", ")}) is distinct from
      (${columns.map((column) => `old.${column}`).join(", ")})`;
    return `    case when ${changed} then '${field}' end`;
  });
  const unbounded =
    audited.unbounded === undefined ? "" : `,\n    is_bound => not (${audited.unbounded})`;
  const organization = hasColumn(table, "organization_id") ? "new.organization_id" : "new.id";
  const text = `\
-- Writes the changed fields of ${getTableName(table)} to the audit log.
${triggerFunction(
  name,
  `\
begin
  perform app.audit_changed('${entity}', ${organization}, new.id, new.name, ${networkOf(entity, record, "new") ?? "null"}, array[
${fields.join(",\n")}]${unbounded});
  return null;
end`,
)}`;
  return [{ name, text, table: getTableName(table) }];
}

/**
 * Returns SQL for the id of the network that a record is or belongs to; undefined for records
 * outside networks.
 */
function networkOf(entity: string, { table }: RecordKind, row: string): string | undefined {
  if (entity === "Network") {
    return `${row}.id`;
  }
  return entity !== "Webhook" && hasColumn(table, "network_id") ? `${row}.network_id` : undefined;
}

/** Returns the triggers that write changes to a set to the audit log. */
export function auditSetRules({ table, field, isAssignment }: MemberSet, owner: Entry<RecordKind>) {
  const name = getTableName(table);
  const [entity, record] = owner;
  const trigger = (happened: string, event: string, rows: string, action: string) => `\
create trigger audit_${happened} after ${event} on ${name}
  referencing ${rows} table as changed for each statement
  execute function app.audit_set('${entity}', '${getTableName(record.table)}', '${snakeCase(entity)}_id', '${field}'${isAssignment ? `, '${action}'` : ""});
`;
  return `-- The audit log.\n${trigger("inserted", "insert", "new", "assigned")}${trigger("deleted", "delete", "old", "unassigned")}`;
}

/** Generates `app.audit_set`, with a query for each of these kinds of records. */
export function auditSet(owners: readonly Entry<RecordKind>[]): GeneratedFunction {
  const branches = owners.map(([entity, record]) => {
    const name = getTableName(record.table);
    const network = networkOf(entity, record, "record") ?? "null::uuid";
    return `\
    when '${name}' then
      open found_records for
        select record.organization_id, array_agg(record.id) as ids, array_agg(record.name::text) as names,
          array_agg(${network}) as networks
        from public.${name} as record
        where (record.organization_id, record.id) in (
          select changed.organization_id, changed.${snakeCase(entity)}_id from changed)
        group by record.organization_id;
`;
  });
  const text = `\
-- Writes the records whose set was changed to the audit log. Arguments: their kind, their table,
-- the column that references them, the field, and the action (by default \`updated\`). The sets of
-- a deleted record are deleted with it, without an entry.
--
-- One query for each table: Postgres then keeps the plan for the connection. A dynamic query would
-- be planned for each write, which takes longer than everything else.
${triggerFunction(
  "audit_set",
  `\
declare
  found_records refcursor;
  written record;
begin
  if not exists (select from changed) then
    return null;
  end if;
  case tg_argv[1]
${branches.join("")}  end case;
  loop
    fetch found_records into written;
    exit when not found;
    if tg_op = 'INSERT' then
      perform app.bound_audit_entries(written.organization_id, cardinality(written.ids));
    end if;
    perform app.write_audit(written.organization_id, coalesce(tg_argv[4], 'updated'), tg_argv[0],
      written.ids, written.names, written.networks, array_remove(array[tg_argv[3]], ''));
  end loop;
  close found_records;
  return null;
end`,
)}`;
  return { name: "audit_set", text };
}

/** Generates `app.bound_records`, with a query for each limited kind of record. */
export function boundRecords(records: readonly RecordKind[]): GeneratedFunction {
  const branches = records.map(({ table }) => {
    const name = getTableName(table);
    return `\
      when '${name}' then
        select count(*) into number from public.${name} as record where record.organization_id = organization;
`;
  });
  const text = `\
-- Arguments: the maximum number of records per organization, and their plural name. One query for
-- each table: Postgres then keeps the plan for the connection. A dynamic query would be planned for
-- each insert.
${triggerFunction(
  "bound_records",
  `\
declare
  maximum constant integer := tg_argv[0];
  organization uuid;
  number bigint;
begin
  for organization in select distinct changed.organization_id from changed loop
    case tg_table_name
${branches.join("")}    end case;
    if number > maximum then
      perform app.refuse_too_many(tg_argv[1], maximum);
    end if;
  end loop;
  return null;
end`,
)}`;
  return { name: "bound_records", text };
}

/** Generates `app.missing`, with a query for each kind of record. */
export function missing(records: readonly Entry<Pick<RecordKind, "table">>[]): GeneratedFunction {
  const branches = records.map(([entity, { table }]) => {
    const name = getTableName(table);
    const condition = hasColumn(table, "valid_to")
      ? `
          where record.id = wanted.id and record.valid_to is null`
      : " where record.id = wanted.id";
    return `\
    when '${entity}' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        left join lateral (
          select record.revision from public.${name} as record${condition} limit 1
        ) as known on true
        where known.revision is null);
`;
  });
  const text = `\
-- Returns the ids that are not visible to the caller as (live) records. It runs as the caller, so
-- that policies hide other callers' records. This is a function so that its plans are kept:
-- planning a table's policies takes longer than the look-up. The plan is generic, since Postgres
-- would otherwise plan again for each array that it expects to be short. Each id has a separate
-- look-up, which reads a column that is not in any index. Otherwise, where most organizations are
-- small, Postgres would read all records of a large one, or a whole index of them that ends with
-- the id.
create or replace function app.missing(entity text, ids uuid[]) returns uuid[]
language plpgsql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
as $$
begin
  case entity
${branches.join("")}  end case;
end
$$;

grant execute on function app.missing to inventory_api;
`;
  return { name: "missing", text };
}
