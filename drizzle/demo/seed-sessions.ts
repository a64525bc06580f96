import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import * as schema from "../../src/database/tables/index.ts";
import demo from "../demo.json" with { type: "json" };

/** Adds the scan that the examples of the document are about. */
export async function seedSessions(database: NodePgDatabase): Promise<void> {
  const [network] = demo.networks;
  const [daemon] = demo.daemons;
  if (!network || !daemon) {
    throw new Error("The demo has no network with a daemon.");
  }
  await database.insert(schema.discoverySessions).values({
    organization_id: demo.organization.id,
    id: "2b7e5a30-8c4d-4f1e-9a6b-d5c0f3e81a27",
    network_id: network.id,
    daemon_id: daemon.id,
    created_at: "2026-04-22T15:40:00.000Z",
    updated_at: "2026-04-22T15:44:12.511Z",
    phase: "Complete",
    progress: 100,
    hosts_discovered: 12,
    started_at: "2026-04-22T15:41:03.120Z",
    moved_at: "2026-04-22T15:44:12.511Z",
    finished_at: "2026-04-22T15:44:12.511Z",
    settled_at: "2026-04-22T15:44:12.511Z",
  });
}
