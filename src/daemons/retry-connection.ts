import { eq, sql } from "drizzle-orm";
import { daemons } from "../database/tables/index.ts";
import { authenticate } from "../http/authenticate.ts";
import { mayFail } from "../http/declares.ts";
import { ok } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { found } from "../http/found.ts";
import { recordPath } from "../http/input/id.ts";
import { validate } from "../http/validation/validate.ts";
import { nextPollGeneration } from "./poll-generation.ts";

/**
 * POST /api/v1/daemons/{id}/retry-connection: clears a daemon's `is_unreachable` flag and failure
 * count, so that the next cycle polls it (API contract, section 5). Idempotent.
 */
export const retryDaemonConnection = factory.createHandlers(
  authenticate("Member"),
  validate({ param: recordPath }),
  mayFail("entity_not_found"),
  async (c) => {
    const { id } = c.req.valid("param");
    const [rows] = await c.var.tenant.run((database) => [
      database
        .update(daemons)
        .set({
          unreachable_since: null,
          consecutive_failures: 0,
          // Keeps `next_poll_at` if the daemon is already due, so that it does not lose its place
          // in the queue.
          next_poll_at: sql`least(${daemons.next_poll_at}, now())`,
          lease_expires_at: null,
          // Discards the result of a poll that is already in progress.
          poll_generation: nextPollGeneration(sql`${daemons.poll_generation}`),
        })
        .where(eq(daemons.id, id))
        .returning({ id: daemons.id }),
    ]);
    found(rows, "Daemon", id);
    return ok(c, {});
  },
);
