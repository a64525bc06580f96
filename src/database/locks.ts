import { type SQL, sql } from "drizzle-orm";
import { isOneOf, type RecordTable } from "./collection.ts";

/** The ids of records, or a select of these ids. */
type Ids = readonly string[] | SQL;

/**
 * The records that a change writes, directly or through their sets, and the tags that it refers to.
 */
interface Locked {
  tags?: Ids;
  credentials?: Ids;
  daemons?: Ids;
  networks?: Ids;
  apiKeys?: Ids;
}

/**
 * The timeouts of a statement, in milliseconds. They expire before the caller gives up, because
 * only a response from Postgres proves that nothing was committed. The lock timeout is shorter, so
 * that waiting for a lock can be distinguished from a slow statement. If the caller has
 * disconnected and Neon's proxy cannot cancel the statement, a timeout cancels it. `app.enter` uses
 * the same values.
 */
export const timeoutsOf = (deadlineMs: number) => ({
  lock: Math.floor(deadlineMs - Math.min(1000, deadlineMs / 4)),
  statement: Math.floor(deadlineMs - Math.min(500, deadlineMs / 8)),
});

/**
 * Locks records of one table in the order of their ids, so that concurrent changes run one after
 * the other.
 */
export const lock = (
  records: Pick<RecordTable, "table" | "versions">,
  ids: readonly string[],
): SQL => sql`
  select from ${records.table} where ${isOneOf(records, ids)} order by ${records.table}.id for update`;

const arrayOf = (ids: Ids): SQL =>
  Array.isArray(ids) ? sql`${sql.param(ids)}::uuid[]` : sql`array(${ids})`;

/**
 * Locks records of several tables in the order that all changes use, tags first
 * (`app.lock_records`). Otherwise, two changes to the same set, one from each side, could deadlock.
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
 * Locks hosts in the order of their ids, and fixes the timestamp of the transaction
 * (`app.lock_hosts`). A change to several hosts, or to records of several hosts, needs it: each
 * write to a record also locks the record's host.
 */
export const lockHosts = (ids: Ids): SQL => sql`select app.lock_hosts(${arrayOf(ids)})`;

/**
 * Returns a select of the current members of sets, and of the members in a request.
 * @param set the table that holds the sets, and its columns for members and owners
 */
export const membersAnd = (
  set: { table: string; owner: string; member: string },
  owners: readonly string[],
  sent: readonly string[] = [],
): SQL => sql`
  select ${sql.identifier(set.member)} from ${sql.identifier(set.table)}
  where ${sql.identifier(set.owner)} = any (${sql.param(owners)}::uuid[])
  union select unnest(${sql.param(sent)}::uuid[])`;
