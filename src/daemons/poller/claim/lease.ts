import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../../database/connection.ts";
import { type DatabaseTime, runAsPoller } from "../../../database/poller.ts";
import { daemons } from "../../../database/tables/index.ts";
import type { Settings } from "../../../env.ts";
import type { LeasedDaemon } from "./state.ts";

/** Whose visit this is, and what its writes must still find. */
export interface Lease extends Pick<LeasedDaemon, "organization_id" | "id" | "poll_generation"> {
  /** How long the database has taken for the visit. */
  databaseTime: DatabaseTime;
}

/** Whether the lease holds, by the database's clock. A late or doubled message changes nothing. */
export const holds = ({ organization_id, id, poll_generation }: Lease): SQL => sql`
  exists (
    select from ${daemons} as leased
    where leased.organization_id = ${organization_id} and leased.id = ${id}
      and leased.poll_generation = ${poll_generation} and leased.lease_expires_at > now())`;

/** Locks the daemon, so that visits of it follow each other. */
export const lockDaemon = (database: Database, { organization_id, id }: Lease) =>
  database.execute(sql`
    select from ${daemons} as daemon
    where daemon.organization_id = ${organization_id} and daemon.id = ${id} for no key update`);

/**
 * Runs a statement as the visit of a daemon, in one call and one transaction behind its gate: ends it unless the
 * lease holds.
 * @param after what the poller itself writes in the same transaction
 * @returns the rows of the statement
 * @throws {ApiError} 409 or 503
 */
export async function inVisit<Row extends Record<string, unknown>>(
  settings: Settings,
  { organization_id, id, poll_generation, databaseTime }: Lease,
  statement: SQL,
  after: readonly SQL[] = [],
): Promise<Row[]> {
  const build = (database: Database) =>
    [
      database.execute(sql`select app.enter_visit(${organization_id}, ${id}, ${poll_generation})`),
      database.execute<Row>(statement),
      database.execute(sql`select app.leave_visit()`),
      ...after.map((each) => database.execute(each)),
    ] as const;
  const [, { rows }] = await runAsPoller(settings, build, databaseTime);
  return rows;
}
