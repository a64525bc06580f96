import * as z from "zod";
import { authenticate } from "../http/authenticate.ts";
import { handles } from "../http/declares.ts";
import { okPage } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { pageQuery } from "../http/input/page.ts";
import { ignoredId } from "../http/input/record.ts";
import { validate } from "../http/validate.ts";

/** A dependency between services, of which this service keeps none. */
export const dependencySchema = z
  .object({})
  .meta({ id: "Dependency", description: "A dependency between services. There are none." });

/**
 * GET /api/v1/dependencies: an empty page. Clients of other servers of this interface ask for it before
 * they show anything (API contract, section 9).
 */
export const listDependencies = factory.createHandlers(
  authenticate("Viewer"),
  validate({ query: z.strictObject({ network_id: ignoredId, ...pageQuery }) }),
  handles({ errors: [] }),
  async (c) => {
    await c.var.tenant.run(() => []);
    const data: z.output<typeof dependencySchema>[] = [];
    return okPage(c, data, { total_count: 0, ...c.req.valid("query") });
  },
);
