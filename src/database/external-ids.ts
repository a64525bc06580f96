import { type SQL, sql } from "drizzle-orm";
import { maxIssues } from "../errors/errors.ts";
import type { RecordTable } from "./collection.ts";
import { type BodyPath, conflict, type Violations } from "./failure.ts";
import { type Guard, guardWhen, type PathOf } from "./guards.ts";
import { recordset } from "./recordset.ts";

type Kind = Pick<RecordTable, "table" | "entity">;

/** A record in a request, with the path of its external id in the body. */
interface SentExternalId {
  id: string;
  external_id: string;
  field: BodyPath;
}

const repeated = (records: readonly SentExternalId[]): Guard[] => {
  const seen = new Set<string>();
  const issues = records.flatMap(({ external_id, field }) => {
    const isRepeated = seen.has(external_id);
    seen.add(external_id);
    const message = "is the external id of another record of this request";
    return isRepeated ? [{ path: field, message, code: "custom" }] : [];
  });
  const params = { issues: issues.slice(0, maxIssues), issue_count: issues.length };
  return issues.length === 0 ? [] : [guardWhen(sql`true`, "validation_failed", params)];
};

/**
 * Fails if two records of a request have the same external id, or if another record of their kind
 * already has one of these external ids.
 * @param isFreed true for a record, `taken`, that the request deletes
 */
export const externalIdTaken = (
  { table, entity }: Kind,
  records: readonly SentExternalId[],
  isFreed: SQL = sql`false`,
): Guard[] => {
  const isLive = "valid_to" in table ? sql` and taken.valid_to is null` : sql``;
  return records.length === 0
    ? []
    : [
        ...repeated(records),
        sql`
  select 'entity_already_exists',
    jsonb_build_object('entity', ${entity}::text, 'field', sent.field, 'id', taken.id)
  from ${recordset(
    "sent",
    records.map((record, position) => ({ ...record, position })),
    { id: "uuid", external_id: "text", field: "text", position: "int" },
  )}
  join ${table} as taken on taken.external_id = sent.external_id${isLive} and taken.id <> sent.id
  where not ${isFreed}
  order by sent.position limit 1`,
      ];
};

/** {@link externalIdTaken} for records of which each is a member of the body, or the body itself. */
export const externalIdsTaken = (
  kind: Kind,
  records: readonly { id: string; external_id: string | null }[],
  pathOf: PathOf,
): Guard[] =>
  externalIdTaken(
    kind,
    records.flatMap(({ id, external_id }, position) =>
      external_id === null
        ? []
        : [{ id, external_id, field: `${pathOf(position)}external_id` as const }],
    ),
  );

/** The errors for an external id that is taken between the guard and the write. */
export const externalIdViolations = (table: string): Violations => ({
  [`${table}_external_id_unique`]: conflict,
});
