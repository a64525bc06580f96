import * as z from "zod";
import { authenticate } from "../http/authenticate.ts";
import { okPage } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { pageQuery } from "../http/input/page.ts";
import { streamList } from "../http/list/stream.ts";
import { validate } from "../http/validate.ts";
import { daemonFilters } from "./filters.ts";
import { daemonPage, everyDaemon } from "./page.ts";
import { daemonWire } from "./wire.ts";

const query = z.strictObject({ ...daemonFilters, ...pageQuery });

/** GET /api/v1/daemons: lists the daemons on the key's networks that pass filters, the oldest first. */
export const listDaemons = factory.createHandlers(
  authenticate("Viewer"),
  validate({ query }),
  async (c) => {
    const { limit, offset, ...filters } = c.req.valid("query");
    if (limit === 0) {
      return streamList(c, (signal) => everyDaemon(c.var.tenant, filters, { offset, signal }));
    }
    const [rows] = await c.var.tenant.run((database) => [
      daemonPage(database, filters, { limit, offset }),
    ]);
    const page = rows.flatMap(({ daemon }) => (daemon ? [daemonWire(daemon)] : []));
    return okPage(c, page, { total_count: rows[0]?.total_count ?? 0, limit, offset });
  },
);
