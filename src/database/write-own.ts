import { type SQL, sql } from "drizzle-orm";
import { type Collection, isRecord, shownTag } from "./collection.ts";
import { selectionOf } from "./columns-of.ts";
import { type Guard, isExpected, passes } from "./guards.ts";

/** New values for columns of a record, by column name. */
export type OwnValues = Readonly<Record<string, string | number | null>>;

/**
 * Updates columns of the record with the given id, and returns the record as {@link recordsOf}
 * does, or no row if it does not exist. It is a single statement, so that the lock is not held
 * across several statements. While it holds the lock, it compares the entity tags of If-Match, if
 * any, and aborts the batch with `precondition_failed` if none matches.
 * @param change.guards checked before the record is locked
 */
export const replaceOwn = (
  collection: Collection,
  id: string,
  {
    set,
    tags,
    guards = [],
  }: { set: OwnValues; tags: readonly string[] | undefined; guards?: readonly Guard[] },
): SQL => {
  const { table, columns } = collection;
  const values = Object.entries(set).map(
    ([name, value]) => sql`${sql.identifier(name)} = ${value}`,
  );
  return sql`
    update ${table} set ${sql.join(values, sql`, `)}
    where ${isRecord(collection, id)} and ${isExpected(collection, tags)} and ${passes(guards)}
    returning ${selectionOf(columns)}, ${shownTag(collection)} as etag`;
};

/** Creates records with one insert, and returns them as {@link recordsOf} does. */
export const insertOwn = (collection: Collection, ids: readonly string[], insert: SQL): SQL => sql`
  with inserted as (
    ${insert} returning ${selectionOf(collection.columns)}, ${shownTag(collection)} as etag)
  select * from inserted order by array_position(${sql.param(ids)}::uuid[], inserted.id)`;
