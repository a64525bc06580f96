import * as z from "zod";
import { replaceOwn } from "../database/write-own.ts";
import { authenticate } from "../http/authenticate.ts";
import { handles } from "../http/declares.ts";
import { ok } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { found } from "../http/found.ts";
import { ifMatch } from "../http/input/entity-tag.ts";
import { recordPath } from "../http/input/id.ts";
import { requireScope } from "../http/scope.ts";
import { validate } from "../http/validation/validate.ts";
import { itemOf, type RecordRow } from "../http/verbs/resource.ts";
import { historyInput } from "./input.ts";
import { organizationResource } from "./model.ts";

/**
 * PUT /api/v1/organizations/{id}/history: sets how long history is kept (API contract, section 11).
 * The job `history_sweep` deletes older versions.
 */
export const setHistory = factory.createHandlers(
  authenticate("Owner"),
  requireScope("organization"),
  validate({ param: recordPath, header: z.object({ "if-match": ifMatch }), json: historyInput }),
  handles({ errors: ["entity_not_found", "precondition_failed"], responses: { 200: ["ETag"] } }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { history_days } = c.req.valid("json");
    const tags = c.req.valid("header")["if-match"];
    const [{ rows }] = await c.var.tenant.run((database) => [
      database.execute<RecordRow>(
        replaceOwn(organizationResource, id, { set: { history_days }, tags }),
      ),
    ]);
    const row = found(rows, organizationResource.entity, id);
    c.header("ETag", row.etag);
    return ok(c, itemOf(organizationResource, row));
  },
);
