import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../database/connection.ts";
import { daemons } from "../../database/tables/index.ts";
import type { LeasedDaemon } from "./state.ts";

/** Whose visit this is, and what its writes must still find. */
export type Lease = Pick<LeasedDaemon, "organization_id" | "id" | "poll_generation">;

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
