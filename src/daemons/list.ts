import * as z from "zod";
import { authenticate } from "../http/bearer.ts";
import { successPage } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { describeOperation } from "../http/openapi/describe.ts";
import { pageQuery } from "../http/query.ts";
import { streamList } from "../http/stream.ts";
import { validate } from "../http/validate.ts";
import { daemonPage, everyDaemon } from "./page.ts";
import { daemonExample, daemonSchema } from "./schema.ts";
import { daemonWire } from "./wire.ts";

const query = z.strictObject(pageQuery);

/** GET /api/v1/daemons: lists the daemons on the key's networks, the oldest first. */
export const listDaemons = factory.createHandlers(
  authenticate("Viewer"),
  validate({ query }),
  async (c) => {
    const { limit, offset } = c.req.valid("query");
    if (limit === 0) {
      return streamList(c, (signal) => everyDaemon(c.var.tenant, { offset, signal }));
    }
    const [rows] = await c.var.tenant.ask((database) => [daemonPage(database, { limit, offset })]);
    const page = rows.flatMap(({ daemon }) => (daemon ? [daemonWire(daemon)] : []));
    return successPage(c, page, { total_count: rows[0]?.total_count ?? 0, limit, offset });
  },
);

/* @__PURE__ */ describeOperation(listDaemons, () => ({
  operationId: "listDaemons",
  tag: "Daemons",
  summary: "List daemons",
  description: "Lists the daemons on the networks of your key, the oldest first.",
  data: z.array(daemonSchema),
  answer: "A page of daemons.",
  example: { data: [daemonExample] },
}));
