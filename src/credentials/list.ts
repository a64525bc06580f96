import * as z from "zod";
import { authenticate } from "../http/bearer.ts";
import { successPage } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { describeOperation } from "../http/openapi/describe.ts";
import { choiceParameter, pageQuery } from "../http/query.ts";
import { streamList } from "../http/stream.ts";
import { validate } from "../http/validate.ts";
import { everyCredential } from "./everything.ts";
import { credentialPage, orderDirections, orderFields } from "./page.ts";
import { credentialExample, credentialSchema } from "./schema.ts";
import { credentialTypeFilters } from "./types.ts";
import { credentialWire } from "./wire.ts";

const query = z.strictObject({
  type: choiceParameter(credentialTypeFilters).optional(),
  group_by: choiceParameter(orderFields).optional(),
  order_by: choiceParameter(orderFields).default("created_at"),
  order_direction: choiceParameter(orderDirections).default("asc"),
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
    const [rows] = await c.var.tenant.ask(() => [credentialPage(selection, { limit, offset })]);
    const page = rows.flatMap(({ credential }) => (credential ? [credentialWire(credential)] : []));
    return successPage(c, page, { total_count: rows[0]?.total_count ?? 0, limit, offset });
  },
);

/* @__PURE__ */ describeOperation(listCredentials, () => ({
  operationId: "listCredentials",
  tag: "Credentials",
  summary: "List credentials",
  description:
    "Lists the credentials of your organization, secrets masked. A key that is limited to networks gets them all, without the ids of networks, hosts and addresses that it does not reach. They are ordered by `group_by` ascending, then by `order_by` in `order_direction`, then by `id`. Names sort by code point.",
  parameters: {
    type: {
      description: "Only credentials of this type; `Snmp` stands for the three types of SNMP.",
      example: "Snmp",
    },
    group_by: {
      description: "What to order by first, always ascending, so that groups stay together.",
      example: "type",
    },
    order_by: { description: "What to order by, within groups or alone.", example: "name" },
    order_direction: { description: "The direction of `order_by`.", example: "desc" },
  },
  data: z.array(credentialSchema),
  answer: "A page of credentials.",
  example: { data: [credentialExample] },
}));
