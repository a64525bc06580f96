import { eq } from "drizzle-orm";
import { daemons } from "../database/tables/index.ts";
import { authenticate } from "../http/authenticate.ts";
import { mayFail } from "../http/declares.ts";
import { ok } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { found } from "../http/found.ts";
import { recordPath } from "../http/input/id.ts";
import { validate } from "../http/validate.ts";
import { daemonColumns, toDaemon } from "./model.ts";

/** GET /api/v1/daemons/{id}: one daemon, with why and when it was last not reached. */
export const readDaemon = factory.createHandlers(
  authenticate("Viewer"),
  validate({ param: recordPath }),
  mayFail("entity_not_found"),
  async (c) => {
    const { id } = c.req.valid("param");
    const [rows] = await c.var.tenant.run((database) => [
      database.select(daemonColumns).from(daemons).where(eq(daemons.id, id)),
    ]);
    return ok(c, toDaemon(found(rows, "Daemon", id)));
  },
);
