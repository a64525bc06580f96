import { and, eq } from "drizzle-orm";
import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import { type KeyRing, tokenPlace } from "../../src/database/sealing.ts";
import * as schema from "../../src/database/tables/index.ts";
import demo from "../demo.json" with { type: "json" };
import { demoStart, lastSeen } from "./dates.ts";
import { networkOf } from "./records.ts";
import { seedFinishedSession } from "./seed-sessions.ts";

const organization_id = demo.organization.id;

/** The state after five failed polls. */
const unreachable = {
  consecutive_failures: 5,
  unreachable_since: lastSeen,
  next_poll_at: null,
  last_error: "connection_refused",
  last_error_at: lastSeen,
} as const;

/** Inserts the daemon that never runs. Its key was never issued. */
export async function seedAbsentDaemon(database: NodePgDatabase, ring: KeyRing): Promise<void> {
  const { id, name, url, network } = demo.absent_daemon;
  await database.insert(schema.daemons).values({
    ...{ id, name, url, organization_id, network_id: networkOf(network) },
    receives_credentials: true,
    ...{ created_at: demoStart, updated_at: demoStart, last_seen_at: lastSeen },
    ...unreachable,
  });
  await database.insert(schema.daemonSecrets).values({
    organization_id,
    daemon_id: id,
    field: "token",
    sealed: await ring.seal("demo-daemon-token", tokenPlace(organization_id, id, url)),
  });
}

/**
 * Adds demo history to a provisioned daemon: its creation time, the scan of the first daemon, and
 * the failed polls of an unreachable daemon. The API could not create this history.
 */
export async function seedPastOfDaemon(database: NodePgDatabase, id: string): Promise<void> {
  const daemon = demo.daemons.find((one) => one.id === id);
  await database
    .update(schema.daemons)
    .set({
      created_at: demoStart,
      last_seen_at: lastSeen,
      ...(daemon?.is_unreachable ? unreachable : {}),
    })
    .where(and(eq(schema.daemons.organization_id, organization_id), eq(schema.daemons.id, id)));
  if (daemon && daemon === demo.daemons[0]) {
    await seedFinishedSession(database, daemon);
  }
}
