import { type SQL, sql } from "drizzle-orm";
import { type ErrorCode, type ErrorParams, maxIssues } from "../errors/errors.ts";
import { type Entity, isRecord, type RecordTable, shownTag, writtenTag } from "./collection.ts";
import type { Database } from "./connection.ts";
import type { BodyPath } from "./failure.ts";
import { recordset } from "./recordset.ts";

/** The path prefix of a record's fields in the body: `body.`, or `body[2].` in a bulk create. */
export type PathOf = (position: number) => BodyPath;

/** A select that returns the `code` and `params` of an error, or no row if the check passes. */
export type Guard = SQL;

/** A guard with fixed parameters that fails if a condition holds. */
export const guardWhen = <Code extends ErrorCode>(
  condition: SQL,
  code: Code,
  params: ErrorParams<Code>,
): Guard =>
  sql`select ${code}::text as code, ${JSON.stringify(params)}::jsonb as params where ${condition}`;

/** Reports one field as invalid if a condition holds that only Postgres can check. */
export const invalidWhen = (
  condition: SQL,
  path: BodyPath | `path.${string}` | `query.${string}`,
  message: string,
  code = "custom",
): Guard =>
  guardWhen(condition, "validation_failed", { issues: [{ path, message, code }], issue_count: 1 });

/**
 * Returns a select that aborts and rolls back the batch with the error of the first guard that
 * fails.
 */
const abortion = (guards: readonly Guard[]): SQL => {
  const ranked = guards.map(
    (guard, rank) => sql`(select ${rank}::int as rank, * from (${guard}) as guard (code, params))`,
  );
  return sql`
    select app.abort(due.code, due.params)
    from (select * from (${sql.join(ranked, sql` union all `)}) as guard order by rank limit 1) as due`;
};

/**
 * Returns a query that aborts and rolls back the batch with the error of the first guard that
 * fails.
 */
export const abortOnFirst = (database: Database, guards: readonly Guard[]) =>
  database.execute(abortion(guards));

/**
 * {@link abortOnFirst} as a condition of a write: it is evaluated once, before the first row is
 * written. One fewer statement saves two round trips between Neon's proxy and Postgres.
 */
export const passes = (guards: readonly Guard[]): SQL =>
  guards.length === 0 ? sql`true` : sql`(${abortion(guards)}) is null`;

/** {@link abortOnFirst}, or no query if there are no guards. */
export const abortOnAny = (database: Database, guards: readonly Guard[] = []) =>
  guards.length === 0 ? [] : [abortOnFirst(database, guards)];

/**
 * True if no record whose id is the value of an expression is visible to the caller. For inventory
 * records, only live records are considered. Row-level security hides the records of other
 * organizations and of networks outside the key's list.
 * @param ids all possible values of the expression
 */
export const isMissing = (entity: Entity, id: SQL, ids: readonly string[]): SQL =>
  sql`${id} = any ((select app.missing(${entity}, ${sql.param(ids)}))::uuid[])`;

/** Fails if no record with this id is visible to the caller. */
export const notFound = ({ entity }: Pick<RecordTable, "entity">, id: string): Guard =>
  guardWhen(isMissing(entity, sql`${id}::uuid`, [id]), "entity_not_found", { entity, id });

/**
 * Removes the digest of the observed state from an entity tag, leaving the tag of the written
 * state.
 */
const withoutObserved = (tag: string) => tag.replace(/-[\da-f]{16}"$/, '"');

/**
 * True if two entity tags represent the same stored state of a record. The observed state is
 * ignored.
 */
export const isSameTag = (
  { observed }: Pick<RecordTable, "observed">,
  one: string,
  other: string,
): boolean => (observed ? withoutObserved(one) === withoutObserved(other) : one === other);

/** True if a record's entity tag differs from all of these tags. The observed state is ignored. */
const isOther = (records: Pick<RecordTable, "table" | "observed">, tags: readonly string[]): SQL =>
  sql`${writtenTag(records)} <> all (${sql.param(records.observed ? tags.map(withoutObserved) : tags)}::text[])`;

/**
 * Returns SQL for the parameters of `precondition_failed`.
 * @param tags the strong entity tags of If-Match; empty if all were weak
 */
const unmatched = (records: RecordTable, tags: readonly string[]): SQL =>
  sql`jsonb_build_object('etag', ${shownTag(records)}${tags.length === 0 ? sql`, 'is_weak', true` : sql``})`;

/**
 * Fails if the record has changed since the caller read it (RFC 9110, section 13.1.1).
 * @param tags the strong entity tags of If-Match
 */
export const changedSince = (
  records: RecordTable,
  id: string,
  tags: readonly string[],
): Guard => sql`
  select 'precondition_failed', ${unmatched(records, tags)}
  from ${records.table} where ${isRecord(records, id)} and ${isOther(records, tags)}`;

/**
 * {@link changedSince} as a condition of a write, which is evaluated while the write holds the lock
 * on the record: aborts the batch unless the record has one of the tags.
 * @param tags as in {@link changedSince}; undefined if any tag is allowed
 */
export const isExpected = (records: RecordTable, tags: readonly string[] | undefined): SQL =>
  tags === undefined
    ? sql`true`
    : sql`case when ${isOther(records, tags)}
          then app.abort('precondition_failed', ${unmatched(records, tags)}) is null
          else true end`;

/**
 * {@link changedSince} for several records: fails if one of them has another entity tag, or does not
 * exist. The error does not contain the current tag.
 */
export const anyChangedSince = (
  records: RecordTable,
  expected: readonly { id: string; etag: string }[],
): Guard => sql`
  select 'precondition_failed', '{}'::jsonb
  from ${recordset(
    "sent",
    expected.map(({ id, etag }) => ({ id, etag: records.observed ? withoutObserved(etag) : etag })),
    { id: "uuid", etag: "text" },
  )}
  where not exists (
    select from ${records.table}
    where ${isRecord(records, sql`sent.id`)} and ${writtenTag(records)} = sent.etag)
  limit 1`;

/** Like {@link changedSince}, but compares the `updated_at` that the caller read. */
export const updatedSince = (records: RecordTable, id: string, updatedAt: string): Guard => sql`
  select 'precondition_failed', jsonb_build_object('etag', ${shownTag(records)})
  from ${records.table} where ${isRecord(records, id)} and ${records.table}.updated_at <> ${updatedAt}`;

/** Fails for the first of these ids that already belongs to a visible record. */
export const idTaken = (
  { table, entity }: RecordTable,
  ids: readonly string[],
  pathOf: PathOf,
): Guard => sql`
  select 'entity_already_exists', jsonb_build_object('entity', ${entity}::text,
    'field', (${sql.param(ids.map((_, position) => `${pathOf(position)}id`))}::text[])[sent.position],
    'id', sent.id)
  from unnest(${sql.param(ids)}::uuid[]) with ordinality as sent (id, position)
  where exists (select from ${table} where ${table}.id = sent.id)
  order by sent.position limit 1`;

/**
 * Fails with one issue for each invalid field of a body, for fields that only Postgres can check.
 * @param fields a select of the `path` of each invalid field, and the `position` by which the
 *   fields are ordered
 */
export const invalidWhere = (fields: SQL, message: string): Guard => sql`
  select 'validation_failed', jsonb_build_object(
    'issues', jsonb_agg(jsonb_build_object('message', ${message}::text, 'code', 'custom',
        'path', issue.path) order by issue.position)
      filter (where issue.nth <= ${maxIssues}::int),
    'issue_count', count(*))
  from (
    select path, position, row_number() over (order by position) as nth
    from (${fields}) as field) as issue
  having count(*) > 0`;

/** A reference in a body: the id of the record that it refers to, and the field. */
export interface Reference {
  id: string;
  field: BodyPath;
}

/** Fails for the first of these references whose record is not visible to the caller. */
export const missingReferences = (entity: Entity, references: readonly Reference[]): Guard[] =>
  references.length === 0
    ? []
    : [
        sql`
  select 'entity_reference_invalid',
    jsonb_build_object('entity', ${entity}::text, 'field', wanted.field, 'id', wanted.id)
  from ${recordset("wanted", references, { id: "uuid", field: "text" })}
  where ${isMissing(
    entity,
    sql`wanted.id`,
    references.map(({ id }) => id),
  )} limit 1`,
      ];
