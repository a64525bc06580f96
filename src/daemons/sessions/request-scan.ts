import { conflict } from "../../database/failure.ts";
import { created } from "../../http/envelope.ts";
import { found } from "../../http/found.ts";
import { ofBody } from "../../http/verbs/create.ts";
import { createOnce, markReplay } from "../../http/verbs/create-once.ts";
import { type Change, itemOf, type TenantContext } from "../../http/verbs/resource.ts";
import { sessionResource } from "./model.ts";

interface ScanRequest {
  /** The id of the scan, which the caller may have chosen. */
  id: string;
  idempotencyKey: string | undefined;
  /** Adds the scan. */
  change: Change;
}

/** Requests a scan, once for each Idempotency-Key. Responds with 201, `Location` and `ETag`. */
export async function requestScan(c: TenantContext, { id, idempotencyKey, change }: ScanRequest) {
  const result = await createOnce(c, sessionResource, {
    ids: [id],
    pathOf: ofBody,
    idempotencyKey,
    // The daemon was deleted concurrently.
    violations: { discovery_sessions_daemon_fk: conflict },
    change,
  });
  const sessionId = result.ids[0] ?? id;
  const row = found(result.rows, sessionResource.entity, sessionId);
  markReplay(c, result);
  c.header("ETag", row.etag);
  c.header("Location", `${sessionResource.path}/${sessionId}`);
  return created(c, itemOf(sessionResource, row));
}
