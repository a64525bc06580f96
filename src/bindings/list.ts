import * as z from "zod";
import { authenticate } from "../http/authenticate.ts";
import { okPage } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { id } from "../http/input/id.ts";
import { pageQuery } from "../http/input/page.ts";
import { timestamp } from "../http/input/timestamp.ts";
import { streamList } from "../http/list/stream.ts";
import { validate } from "../http/validate.ts";
import { everyBinding } from "./everything.ts";
import { bindingPage } from "./page.ts";

const query = z.strictObject({
  service_id: id.optional(),
  network_id: id.optional(),
  port_id: id.optional(),
  ip_address_id: id.optional(),
  at: timestamp.optional(),
  ...pageQuery,
});

/** GET /api/v1/bindings: lists bindings, live or as of an instant (API contract, section 5). */
export const listBindings = factory.createHandlers(
  authenticate("Viewer"),
  validate({ query }),
  async (c) => {
    const { limit, offset, at, ...filters } = c.req.valid("query");
    if (limit === 0) {
      return streamList(c, (signal) => everyBinding(c.var.tenant, filters, { at, offset, signal }));
    }
    const selection = {
      filters,
      versions: at === undefined ? "live" : "at",
      isFixed: false,
    } as const;
    const [rows] = await c.var.tenant.run(() => [bindingPage(selection, { at, limit, offset })]);
    const page = rows.flatMap(({ binding }) => binding ?? []);
    return okPage(c, page, { total_count: rows[0]?.total_count ?? 0, limit, offset });
  },
);
