import { sql } from "drizzle-orm";
import * as z from "zod";
import { recordWith } from "../database/collection.ts";
import { authenticate } from "../http/authenticate.ts";
import { handles } from "../http/declares.ts";
import { ok } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { ignored } from "../http/input/record.ts";
import { validate } from "../http/validation/validate.ts";
import { readHeader } from "../http/verbs/read.ts";
import { itemOf, type RecordRow } from "../http/verbs/resource.ts";
import { organizationResource } from "./model.ts";

/** Ignored: clients send it to every list, but this operation returns only one record. */
const ignoredNumber = ignored.meta({
  description: "Ignored.",
  input: { type: "integer", format: "int32", minimum: 0, maximum: 2_147_483_647 },
});

/**
 * GET /api/v1/organizations: returns the key's organization, for callers that do not know its id.
 */
export const readOwnOrganization = factory.createHandlers(
  authenticate("Viewer"),
  validate({
    query: z.strictObject({ limit: ignoredNumber, offset: ignoredNumber }),
    header: readHeader,
  }),
  handles({ errors: [], responses: { 200: ["ETag"], 304: ["ETag"] } }),
  async (c) => {
    const isKnown = c.req.valid("header")["if-none-match"];
    const [{ rows }] = await c.var.tenant.run((database) => [
      database.execute<RecordRow>(recordWith(organizationResource, sql`app.organization_id()`)),
    ]);
    const [row] = rows;
    if (row === undefined) {
      throw new Error("The gate accepted a key, but the session has no caller.");
    }
    c.header("ETag", row.etag);
    return isKnown?.(row.etag) ? c.body(null, 304) : ok(c, itemOf(organizationResource, row));
  },
);
