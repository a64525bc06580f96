import { and, eq } from "drizzle-orm";
import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import { type KeyRing, tokenPlace } from "../../src/database/sealing.ts";
import * as schema from "../../src/database/tables/index.ts";
import demo from "../demo.json" with { type: "json" };
import { demoStart, lastSeen } from "./dates.ts";
import { networkOf } from "./seed-inventory.ts";
import { seedFinishedSession } from "./seed-sessions.ts";

const organization_id = demo.organization.id;

/** What the last of five failed polls leaves. */
const unreachable = {
  consecutive_failures: 5,
  unreachable_since: lastSeen,
  next_poll_at: null,
  last_error: "connection_refused",
  last_error_at: lastSeen,
} as const;

/** Inserts the daemon that never runs. No key of it has ever been given to anybody. */
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
 * Gives a daemon that has just been provisioned the past that the demo tells of: since when it is
 * there, the scan of the first one, the failed polls of one that is unreachable. No request of the API
 * could make these.
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
