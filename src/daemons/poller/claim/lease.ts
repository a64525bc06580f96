import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../../database/connection.ts";
import type { DatabaseTime } from "../../../database/poller.ts";
import { daemons } from "../../../database/tables/index.ts";
import type { LeasedDaemon } from "./state.ts";

/**
 * The claim under which a daemon is polled. Writes under an expired or superseded lease have no
 * effect.
 */
export interface Lease extends Pick<LeasedDaemon, "organization_id" | "id" | "poll_generation"> {
  /** The total time spent on this poll's database calls. */
  databaseTime: DatabaseTime;
}

/**
 * The lease of a daemon whose network is known. A daemon whose network is unknown is polled, but
 * not visited.
 */
export interface VisitLease extends Lease {
  network_id: string;
}

/** True while the lease is valid, according to the database's clock. */
export const holds = ({ organization_id, id, poll_generation }: Lease): SQL => sql`
  exists (
    select from ${daemons} as leased
    where leased.organization_id = ${organization_id} and leased.id = ${id}
      and leased.poll_generation = ${poll_generation} and leased.lease_expires_at > now())`;

/** Locks the daemon's row, so that concurrent visits to one daemon run one after the other. */
export const lockDaemon = (database: Database, { organization_id, id }: Lease) =>
  database.execute(sql`
    select from ${daemons} as daemon
    where daemon.organization_id = ${organization_id} and daemon.id = ${id} for no key update`);

/**
 * Opens the gate for a visit. This must be the first statement of a batch: `app.enter_visit` aborts
 * the transaction with `entity_not_found` unless the lease is valid. After that, row-level security
 * exposes only the daemon's own network.
 */
export const enterVisit = (database: Database, { organization_id, id, poll_generation }: Lease) =>
  database.execute(sql`select app.enter_visit(${organization_id}, ${id}, ${poll_generation})`);

/** Closes the gate. Later statements run without the visit's access. */
export const leaveVisit = (database: Database) => database.execute(sql`select app.leave_visit()`);
