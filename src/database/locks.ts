import { type SQL, sql } from "drizzle-orm";
import { isOneOf, type Known } from "./collection.ts";

/** Records by their ids, or by a select of them. */
type Ids = readonly string[] | SQL;

/** What a change writes, directly or because a set of it changes; and the tags that it refers to. */
interface Locked {
  tags?: Ids;
  credentials?: Ids;
  daemons?: Ids;
  networks?: Ids;
  apiKeys?: Ids;
}

/**
 * The timeouts of a statement, in milliseconds. Postgres ends it before the caller gives up, since only its answer says
 * that nothing was committed; and a wait for a lock before that, to be told from a slow statement. They also bound a
 * statement whose caller has gone where Neon's proxy cannot cancel it. `app.enter` has the same.
 */
export const timeoutsOf = (deadlineMs: number) => ({
  lock: Math.floor(deadlineMs - Math.min(1000, deadlineMs / 4)),
  statement: Math.floor(deadlineMs - Math.min(500, deadlineMs / 8)),
});

/** Locks records of one table in the order of their ids, so that two changes follow each other. */
export const lock = (known: Pick<Known, "table" | "versions">, ids: readonly string[]): SQL => sql`
  select from ${known.table} where ${isOneOf(known, ids)} order by ${known.table}.id for update`;

const arrayOf = (ids: Ids): SQL =>
  Array.isArray(ids) ? sql`${sql.param(ids)}::uuid[]` : sql`array(${ids})`;

/**
 * Locks records of several tables in the one order that all changes keep, tags first
 * (`app.lock_records`): two changes of one set from its two sides would deadlock otherwise.
 */
export const lockRecords = (locked: Locked): SQL => {
  const parameters = {
    tag_ids: locked.tags,
    credential_ids: locked.credentials,
    daemon_ids: locked.daemons,
    network_ids: locked.networks,
    key_ids: locked.apiKeys,
  };
  const given = Object.entries(parameters).flatMap(([name, ids]) =>
    ids === undefined ? [] : [sql`${sql.identifier(name)} => ${arrayOf(ids)}`],
  );
  return sql`select app.lock_records(${sql.join(given, sql`, `)})`;
};

/**
 * Members of sets now, and those that a request sends.
 * @param set the table of the sets, and its columns of the members and of the owners
 */
export const membersAnd = (
  set: { table: string; owner: string; member: string },
  owners: readonly string[],
  sent: readonly string[] = [],
): SQL => sql`
  select ${sql.identifier(set.member)} from ${sql.identifier(set.table)}
  where ${sql.identifier(set.owner)} = any (${sql.param(owners)}::uuid[])
  union select unnest(${sql.param(sent)}::uuid[])`;
