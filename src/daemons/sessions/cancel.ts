import { sql } from "drizzle-orm";
import { recordWith } from "../../database/collection.ts";
import { abortOnFirst, type Guard, notFound } from "../../database/guards.ts";
import { lock } from "../../database/locks.ts";
import { discoverySessions } from "../../database/tables/index.ts";
import { authenticate } from "../../http/authenticate.ts";
import { handles } from "../../http/declares.ts";
import { ok } from "../../http/envelope.ts";
import { factory } from "../../http/factory.ts";
import { found } from "../../http/found.ts";
import { recordPath } from "../../http/input/id.ts";
import { validate } from "../../http/validation/validate.ts";
import { itemOf, type RecordRow } from "../../http/verbs/resource.ts";
import { sessionResource } from "./model.ts";

/** Fails if the scan has ended. */
const ended = (id: string): Guard => sql`
  select 'scan_ended', jsonb_build_object('id', id, 'phase', phase)
  from ${discoverySessions} where id = ${id} and finished_at is not null`;

/**
 * POST /api/v1/discovery/sessions/{id}/cancel: cancels a scan. A waiting scan ends immediately; a
 * running scan ends in the next cycle of the poller, which cancels it on the daemon. Idempotent
 * until the scan has ended.
 */
export const cancelSession = factory.createHandlers(
  authenticate("Member"),
  validate({ param: recordPath }),
  handles({
    errors: ["entity_not_found", "scan_ended"],
    responses: { 200: ["ETag"] },
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const [{ rows }] = await c.var.tenant.run(
      (database) => [database.execute<RecordRow>(recordWith(sessionResource, id))],
      {
        first: (database) => [
          database.execute(lock(sessionResource, [id])),
          abortOnFirst(database, [notFound(sessionResource, id), ended(id)]),
          database.execute(sql`
            update ${discoverySessions} set cancel_requested_at = now(),
              phase = case phase when 'Queued' then 'Cancelled' else phase end,
              finished_at = case phase when 'Queued' then now() end
            where id = ${id} and cancel_requested_at is null`),
        ],
      },
    );
    const row = found(rows, sessionResource.entity, id);
    c.header("ETag", row.etag);
    return ok(c, itemOf(sessionResource, row));
  },
);
