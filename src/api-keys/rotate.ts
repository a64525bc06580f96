import { recordWith } from "../database/collection.ts";
import { abortOnFirst, notFound } from "../database/guards.ts";
import { lock } from "../database/locks.ts";
import { authenticate } from "../http/authenticate.ts";
import { handles } from "../http/declares.ts";
import { ok } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { found } from "../http/found.ts";
import { recordPath } from "../http/input/id.ts";
import { requireScope } from "../http/scope.ts";
import { validate } from "../http/validation/validate.ts";
import { itemOf, type RecordRow } from "../http/verbs/resource.ts";
import { rotationInput } from "./input.ts";
import { mint } from "./mint.ts";
import { apiKeyResource } from "./model.ts";
import { belowKey, replaceSecret } from "./sql.ts";

/** POST /api/v1/auth/keys/{id}/rotate: creates a new plaintext for an API key. */
export const rotateApiKey = factory.createHandlers(
  authenticate("Admin"),
  requireScope("organization"),
  validate({ param: recordPath, json: rotationInput }),
  handles({
    errors: ["auth_permission_denied", "entity_not_found"],
    responses: { 200: ["ETag"] },
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { overlap_seconds } = c.req.valid("json");
    const { plaintext, kept } = await mint();
    const [{ rows }] = await c.var.tenant.run(
      (database) => [database.execute<RecordRow>(recordWith(apiKeyResource, id))],
      {
        first: (database) => [
          database.execute(lock(apiKeyResource, [id])),
          abortOnFirst(database, [notFound(apiKeyResource, id), belowKey(id)]),
          replaceSecret(database, id, kept, overlap_seconds),
        ],
      },
    );
    const row = found(rows, apiKeyResource.entity, id);
    c.header("ETag", row.etag);
    return ok(c, { key: plaintext, api_key: itemOf(apiKeyResource, row) });
  },
);
