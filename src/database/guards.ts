import { type SQL, sql } from "drizzle-orm";
import { type ErrorCode, type ErrorParams, maxIssues } from "../errors/errors.ts";
import { type Entity, isRecord, type Known, shownTag, writtenTag } from "./collection.ts";
import type { Database } from "./connection.ts";
import type { BodyPath } from "./failure.ts";
import { recordset } from "./recordset.ts";

/** Where the fields of a record stand in the body: `body.`, or `body[2].` in a bulk create. */
export type PathOf = (position: number) => BodyPath;

/** A select of the `code` and the `params` of an error, or of no row where all is well. */
export type Guard = SQL;

/** A guard with fixed parameters, which refuses when a condition holds. */
export const guardWhen = <Code extends ErrorCode>(
  condition: SQL,
  code: Code,
  params: ErrorParams<Code>,
): Guard =>
  sql`select ${code}::text as code, ${JSON.stringify(params)}::jsonb as params where ${condition}`;

/** One field of a request is not valid when a condition holds, as only Postgres can tell. */
export const invalidWhen = (
  condition: SQL,
  path: BodyPath | `path.${string}` | `query.${string}`,
  message: string,
  code = "custom",
): Guard =>
  guardWhen(condition, "validation_failed", { issues: [{ path, message, code }], issue_count: 1 });

/** A query that ends the batch with the first error among these guards, and undoes it. */
export const abortOnFirst = (database: Database, guards: readonly Guard[]) => {
  const ranked = guards.map(
    (guard, rank) => sql`(select ${rank}::int as rank, * from (${guard}) as guard (code, params))`,
  );
  return database.execute(sql`
    select app.abort(due.code, due.params)
    from (select * from (${sql.join(ranked, sql` union all `)}) as guard order by rank limit 1) as due`);
};

/** {@link abortOnFirst} for guards that may be none: no query then. */
export const abortOnAny = (database: Database, guards: readonly Guard[] = []) =>
  guards.length === 0 ? [] : [abortOnFirst(database, guards)];

/**
 * Whether the caller sees no record with the id in an expression: of the inventory, no live one. Row level security
 * hides records of others, and what lies in networks outside the key's list.
 * @param ids all that the expression can be
 */
export const isMissing = (entity: Entity, id: SQL, ids: readonly string[]): SQL =>
  sql`${id} = any ((select app.missing(${entity}, ${sql.param(ids)}))::uuid[])`;

/** The caller sees no record with this id. */
export const notFound = ({ entity }: Pick<Known, "entity">, id: string): Guard =>
  guardWhen(isMissing(entity, sql`${id}::uuid`, [id]), "entity_not_found", { entity, id });

/** A tag without its digest of what was observed: what somebody has written is the rest. */
const withoutObserved = (tag: string) => tag.replace(/-[\da-f]{16}"$/, '"');

/** Whether two entity tags are of the same writing of a record. What the service observes of it does not count. */
export const isSameTag = (
  { observed }: Pick<Known, "observed">,
  one: string,
  other: string,
): boolean => (observed ? withoutObserved(one) === withoutObserved(other) : one === other);

/** Whether a record has another entity tag than these. What the service observes of it does not count. */
export const isOther = (known: Pick<Known, "table" | "observed">, tags: readonly string[]): SQL =>
  sql`${writtenTag(known)} <> all (${sql.param(known.observed ? tags.map(withoutObserved) : tags)}::text[])`;

/**
 * The parameters of `precondition_failed`.
 * @param tags the entity tags of If-Match that can match: none where all were weak
 */
export const unmatched = (known: Known, tags: readonly string[]): SQL =>
  sql`jsonb_build_object('etag', ${shownTag(known)}${tags.length === 0 ? sql`, 'is_weak', true` : sql``})`;

/**
 * Somebody has changed the record since the caller has read it (RFC 9110, section 13.1.1).
 * @param tags the entity tags of If-Match that can match
 */
export const changedSince = (known: Known, id: string, tags: readonly string[]): Guard => sql`
  select 'precondition_failed', ${unmatched(known, tags)}
  from ${known.table} where ${isRecord(known, id)} and ${isOther(known, tags)}`;

/** {@link changedSince} by the `updated_at` that the caller has read. */
export const updatedSince = (known: Known, id: string, updatedAt: string): Guard => sql`
  select 'precondition_failed', jsonb_build_object('etag', ${shownTag(known)})
  from ${known.table} where ${isRecord(known, id)} and ${known.table}.updated_at <> ${updatedAt}`;

/** The first of these ids that a visible record has already. */
export const idTaken = (
  { table, entity }: Known,
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
 * Fields of a body are not valid, as only Postgres can tell: an issue for each.
 * @param fields a select of their `path`, and the `position` by which they are ordered
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

/** A record that a body refers to, and where. */
export interface Reference {
  id: string;
  field: BodyPath;
}

/** The first of these references to a record that does not exist for the caller. */
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
