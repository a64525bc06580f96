import { eq, sql } from "drizzle-orm";
import * as z from "zod";
import { daemons } from "../database/schema/index.ts";
import { authenticate } from "../http/bearer.ts";
import { success } from "../http/envelope.ts";
import { ApiError } from "../http/errors.ts";
import { factory } from "../http/factory.ts";
import { describeOperation, mayFail } from "../http/openapi/describe.ts";
import { recordPath } from "../http/schemas.ts";
import { validate } from "../http/validate.ts";
import { nextPollGeneration } from "./poll-state.ts";
import { daemonExample } from "./schema.ts";

/**
 * POST /api/v1/daemons/{id}/retry-connection: clears the flag and the failures of a daemon, so that
 * the next cycle polls it (API contract, section 5). Idempotent.
 */
export const retryDaemonConnection = factory.createHandlers(
  authenticate("Member"),
  validate({ param: recordPath }),
  mayFail("entity_not_found"),
  async (c) => {
    const { id } = c.req.valid("param");
    const [[daemon]] = await c.var.tenant.ask((database) => [
      database
        .update(daemons)
        .set({
          unreachable_since: null,
          consecutive_failures: 0,
          next_poll_at: sql`now()`,
          lease_expires_at: null,
          // A poll that is under way now began before: its result is void.
          poll_generation: nextPollGeneration(sql`${daemons.poll_generation}`),
        })
        .where(eq(daemons.id, id))
        .returning({ id: daemons.id }),
    ]);
    if (!daemon) {
      throw new ApiError("entity_not_found", { entity: "Daemon", id });
    }
    return success(c, {});
  },
);

/* @__PURE__ */ describeOperation(retryDaemonConnection, () => ({
  operationId: "retryDaemonConnection",
  tag: "Daemons",
  summary: "Retry the connection to a daemon",
  description:
    "Clears `is_unreachable` and the count of failures, so that the next cycle contacts the daemon again. Idempotent: it answers the same for a daemon that is not flagged. A body is ignored.",
  parameters: { id: { description: "The daemon's id.", example: daemonExample.id } },
  data: z.object({}),
  answer: "The daemon will be contacted again.",
  example: { data: {} },
}));
