import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import * as schema from "../../src/database/tables/index.ts";
import demo from "../demo.json" with { type: "json" };
import { networkOf } from "./seed-inventory.ts";

/** The age of the scan when it is seeded, in milliseconds. With a fixed date it would be swept after 90 days. */
const ageMs = 86_400_000;

/** Adds the scans that the examples of the document are about. */
export async function seedSessions(database: NodePgDatabase): Promise<void> {
  const [network] = demo.networks;
  const [daemon] = demo.daemons;
  if (!network || !daemon) {
    throw new Error("The demo has no network with a daemon.");
  }
  const createdAt = Date.now() - ageMs;
  const after = (ms: number) => new Date(createdAt + ms).toISOString();
  await database.insert(schema.discoverySessions).values({
    organization_id: demo.organization.id,
    id: "2b7e5a30-8c4d-4f1e-9a6b-d5c0f3e81a27",
    network_id: network.id,
    daemon_id: daemon.id,
    created_at: after(0),
    updated_at: after(252_511),
    phase: "Complete",
    progress: 100,
    hosts_discovered: 12,
    started_at: after(63_120),
    moved_at: after(252_511),
    finished_at: after(252_511),
    settled_at: after(252_511),
  });
  // The daemon never runs, so that its scan waits until somebody cancels it.
  await database.insert(schema.discoverySessions).values({
    organization_id: demo.organization.id,
    id: "7c1d90e4-52b8-4d1a-8f3e-96a0b7c2d415",
    network_id: networkOf(demo.absent_daemon.network),
    daemon_id: demo.absent_daemon.id,
    created_at: after(0),
    updated_at: after(0),
  });
}
