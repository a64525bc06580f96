import { sql } from "drizzle-orm";
import type { Settings } from "../env.ts";
import { runAsPoller } from "./poller.ts";

/** Idempotency-Keys that one statement deletes: few enough that no request waits for it. */
export const sweepSize = 1000;

/** Statements of one sweep. What is beyond them goes with the next sweep. */
export const sweepSteps = 10;

/**
 * Deletes Idempotency-Keys that are older than 24 hours (API contract, section 7), step by step. A key
 * that is not swept yet counts no more either: the next claim replaces it.
 * @throws {ApiError} when the database fails
 */
export async function sweepIdempotencyKeys(settings: Settings): Promise<void> {
  let swept = 0;
  for (let step = 0; step < sweepSteps; step++) {
    const [{ rows }] = await runAsPoller(settings, (database) => [
      database.execute<{ swept: number }>(
        sql`select app.sweep_idempotency_keys(${sweepSize}) as swept`,
      ),
    ]);
    const count = rows[0]?.swept ?? 0;
    swept += count;
    if (count < sweepSize) {
      break;
    }
  }
  if (swept > 0) {
    console.log(JSON.stringify({ event: "idempotency_sweep", swept }));
  }
}
