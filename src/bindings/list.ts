import * as z from "zod";
import { authenticate } from "../http/bearer.ts";
import { successPage } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { describeOperation } from "../http/openapi/describe.ts";
import { instantParameter, pageQuery, uuidParameter } from "../http/query.ts";
import { streamList } from "../http/stream.ts";
import { validate } from "../http/validate.ts";
import { everyBinding } from "./everything.ts";
import { bindingPage } from "./page.ts";
import { bindingExample, bindingSchema } from "./schema.ts";

const query = z.strictObject({
  service_id: uuidParameter.optional(),
  network_id: uuidParameter.optional(),
  port_id: uuidParameter.optional(),
  ip_address_id: uuidParameter.optional(),
  at: instantParameter.optional(),
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
    const [rows] = await c.var.tenant.ask(() => [bindingPage(selection, { at, limit, offset })]);
    const page = rows.flatMap(({ binding }) => binding ?? []);
    return successPage(c, page, { total_count: rows[0]?.total_count ?? 0, limit, offset });
  },
);

/* @__PURE__ */ describeOperation(listBindings, () => ({
  operationId: "listBindings",
  tag: "Bindings",
  summary: "List bindings",
  description:
    "Lists the bindings on the networks of your key: the live versions or, with `at`, the versions of that instant (`valid_from <= at < valid_to`). Filters combine with AND; an unknown id gives an empty list. They are ordered by `created_at`, then by the id of the live version. A list is one consistent snapshot, with `limit=0` too.",
  parameters: {
    service_id: {
      description: "Only bindings of this service.",
      example: bindingExample.service_id,
    },
    network_id: {
      description: "Only bindings on this network.",
      example: bindingExample.network_id,
    },
    port_id: {
      description: "Only bindings to this port.",
      example: bindingExample.port_id,
    },
    ip_address_id: {
      description: "Only bindings to this IP address (interface).",
      example: bindingExample.ip_address_id,
    },
    at: {
      description: "ISO 8601 with an offset (write + as %2B). Lists what held at that instant.",
      example: "2025-04-01T00:00:00Z",
    },
  },
  data: z.array(bindingSchema),
  answer: "A page of bindings.",
  example: { data: [bindingExample] },
}));
