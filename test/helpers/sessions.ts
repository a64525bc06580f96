import { eq } from "drizzle-orm";
import { discoverySessions } from "../../src/database/tables/index.ts";
import { database } from "./database.ts";

type Values = Partial<typeof discoverySessions.$inferInsert>;

const runningSince = "2026-01-02T03:04:05.678Z";

/** The minimal values for a scan in the given phase. */
export const inPhase = (phase: (typeof discoverySessions.$inferInsert)["phase"]): Values => ({
  phase,
  ...(phase !== "Queued" && { started_at: runningSince, moved_at: new Date().toISOString() }),
  ...(["Complete", "Failed", "Cancelled"].includes(String(phase)) && { finished_at: runningSince }),
  ...(phase === "Failed" && { error: "stalled" }),
});

/** Creates a scan of a daemon. Returns its id. */
export async function mintSession(
  organization_id: string,
  network_id: string,
  daemon_id: string,
  values: Values = {},
): Promise<string> {
  const { id = crypto.randomUUID() } = values;
  // A batch, since only a batch throws the database's error unchanged.
  await database.batch([
    database
      .insert(discoverySessions)
      .values({ ...values, id, organization_id, network_id, daemon_id }),
  ]);
  return id;
}

/** Reads all columns of a scan. */
export async function sessionRow(id: string) {
  const [row] = await database.select().from(discoverySessions).where(eq(discoverySessions.id, id));
  if (!row) {
    throw new Error(`There is no scan ${id}.`);
  }
  return row;
}
