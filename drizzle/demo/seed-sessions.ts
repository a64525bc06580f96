import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import * as schema from "../../src/database/tables/index.ts";
import demo from "../demo.json" with { type: "json" };
import { networkOf } from "./records.ts";

/**
 * The age of the scans when they are seeded, in milliseconds. With a fixed date, they would be
 * deleted after 90 days.
 */
const ageMs = 86_400_000;

/** Adds the scan that the OpenAPI document's examples use. */
export async function seedFinishedSession(
  database: NodePgDatabase,
  { id: daemon_id, network }: { id: string; network: string },
): Promise<void> {
  const createdAt = Date.now() - ageMs;
  const after = (ms: number) => new Date(createdAt + ms).toISOString();
  await database.insert(schema.discoverySessions).values({
    organization_id: demo.organization.id,
    id: "2b7e5a30-8c4d-4f1e-9a6b-d5c0f3e81a27",
    network_id: networkOf(network),
    daemon_id,
    created_at: after(0),
    updated_at: after(252_511),
    phase: "Complete",
    progress: 100,
    hosts_discovered: 12,
    is_full_scan: true,
    initiated_at: after(63_120),
    started_at: after(63_120),
    moved_at: after(252_511),
    finished_at: after(252_511),
    settled_at: after(252_511),
  });
}

/** Adds a scan by the daemon that never runs; the scan waits until it is cancelled. */
export async function seedWaitingSession(database: NodePgDatabase): Promise<void> {
  const created_at = new Date(Date.now() - ageMs).toISOString();
  await database.insert(schema.discoverySessions).values({
    organization_id: demo.organization.id,
    id: "7c1d90e4-52b8-4d1a-8f3e-96a0b7c2d415",
    network_id: networkOf(demo.absent_daemon.network),
    daemon_id: demo.absent_daemon.id,
    created_at,
    updated_at: created_at,
  });
}
