import { sql } from "drizzle-orm";
import * as z from "zod";
import { recordWith } from "../database/collection.ts";
import { authenticate } from "../http/authenticate.ts";
import { operatorErrors } from "../http/authenticate-operator.ts";
import { declares, handles } from "../http/declares.ts";
import { ok } from "../http/envelope.ts";
import { factory, type TenantEnv } from "../http/factory.ts";
import { booleanText } from "../http/input/boolean-text.ts";
import { choice } from "../http/input/choice.ts";
import { ignored } from "../http/input/record.ts";
import { cursorText } from "../http/list/cursor.ts";
import { validate } from "../http/validation/validate.ts";
import { readHeader } from "../http/verbs/read.ts";
import { itemOf, type RecordRow } from "../http/verbs/resource.ts";
import { respondAll } from "./list-all.ts";
import { organizationResource } from "./model.ts";
import { organizationStates } from "./operator-model.ts";

/** Ignored: clients send it to every list, but this operation returns only one record. */
const ignoredNumber = ignored.meta({
  description: "Ignored.",
  input: { type: "integer", format: "int32", minimum: 0, maximum: 2_147_483_647 },
});

const authenticateCaller = authenticate("Viewer");

/**
 * Authenticates a caller of an organization. With `all`, responds with the list for operators
 * instead, which checks its own parameters.
 */
const authenticateUnlessAll = declares<TenantEnv, object, (typeof operatorErrors)[number]>(
  { role: "Viewer", errors: operatorErrors },
  async (c, next) => {
    if (new URL(c.req.url).searchParams.get("all") !== "true") {
      await authenticateCaller(c, next);
      return;
    }
    const response = await respondAll(c, next);
    if (response) {
      c.res = response;
    }
  },
);

/** Includes the parameters of the list for operators, for the documentation. */
const query = z
  .strictObject({
    limit: ignoredNumber,
    offset: ignoredNumber,
    all: booleanText.optional(),
    cursor: cursorText.optional(),
    state: choice(organizationStates).optional(),
  })
  .superRefine(({ cursor, state }, { addIssue }) => {
    for (const [name, value] of Object.entries({ cursor, state })) {
      if (value !== undefined) {
        const message = "needs `all=true` and an operator key";
        addIssue({ code: "custom", path: [name], message });
      }
    }
  });

/**
 * GET /api/v1/organizations: returns the key's organization, for callers that do not know its id.
 * With `all=true`, lists all organizations, for operators.
 */
export const readOwnOrganization = factory.createHandlers(
  authenticateUnlessAll,
  validate({
    query,
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
