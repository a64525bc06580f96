import { eq } from "drizzle-orm";
import { daemons } from "../database/schema/index.ts";
import { authenticate } from "../http/bearer.ts";
import { success } from "../http/envelope.ts";
import { ApiError } from "../http/errors.ts";
import { factory } from "../http/factory.ts";
import { describeOperation, mayFail } from "../http/openapi/describe.ts";
import { recordPath } from "../http/schemas.ts";
import { validate } from "../http/validate.ts";
import { daemonExample, daemonSchema } from "./schema.ts";
import { daemonColumns, daemonWire } from "./wire.ts";

/** GET /api/v1/daemons/{id}: one daemon, with why and when it was last not reached. */
export const readDaemon = factory.createHandlers(
  authenticate("Viewer"),
  validate({ param: recordPath }),
  mayFail("entity_not_found"),
  async (c) => {
    const { id } = c.req.valid("param");
    const [[daemon]] = await c.var.tenant.ask((database) => [
      database.select(daemonColumns).from(daemons).where(eq(daemons.id, id)),
    ]);
    if (!daemon) {
      throw new ApiError("entity_not_found", { entity: "Daemon", id });
    }
    return success(c, daemonWire(daemon));
  },
);

/* @__PURE__ */ describeOperation(readDaemon, () => ({
  operationId: "readDaemon",
  tag: "Daemons",
  summary: "Read a daemon",
  description: "Reads one daemon, with why and when it was last not reached.",
  parameters: { id: { description: "The daemon's id.", example: daemonExample.id } },
  data: daemonSchema,
  answer: "The daemon.",
  example: { data: daemonExample },
}));
