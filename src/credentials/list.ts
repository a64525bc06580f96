import * as z from "zod";
import { authenticate } from "../http/authenticate.ts";
import { okPage } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { choice } from "../http/input/choice.ts";
import { pageQuery } from "../http/input/page.ts";
import { streamList } from "../http/list/stream.ts";
import { validate } from "../http/validate.ts";
import { everyCredential } from "./everything.ts";
import { credentialPage, orderDirections, orderFields } from "./page.ts";
import { credentialTypeFilters } from "./types.ts";
import { credentialWire } from "./wire.ts";

const query = z.strictObject({
  type: choice(credentialTypeFilters).optional(),
  group_by: choice(orderFields).optional(),
  order_by: choice(orderFields).default("created_at"),
  order_direction: choice(orderDirections).default("asc"),
  ...pageQuery,
});
/**
 * GET /api/v1/credentials: lists the organization's credentials (API contract, section 3). A key
 * limited to networks sees them all, but of their assignments only those that it reaches.
 */
export const listCredentials = factory.createHandlers(
  authenticate("Viewer"),
  validate({ query }),
  async (c) => {
    const { limit, offset, ...selection } = c.req.valid("query");
    if (limit === 0) {
      return streamList(c, (signal) =>
        everyCredential(c.var.tenant, selection, { offset, signal }),
      );
    }
    const [rows] = await c.var.tenant.run(() => [credentialPage(selection, { limit, offset })]);
    const page = rows.flatMap(({ credential }) => (credential ? [credentialWire(credential)] : []));
    return okPage(c, page, { total_count: rows[0]?.total_count ?? 0, limit, offset });
  },
);
