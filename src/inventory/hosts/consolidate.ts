import { sql } from "drizzle-orm";
import * as z from "zod";
import {
  abortOnFirst,
  changedSince,
  type Guard,
  invalidWhen,
  notFound,
} from "../../database/guards.ts";
import { inventoryViolations } from "../../database/inventory-violations.ts";
import { lock } from "../../database/locks.ts";
import { credentialHosts, hosts } from "../../database/tables/index.ts";
import { authenticate } from "../../http/authenticate.ts";
import { handles } from "../../http/declares.ts";
import { factory } from "../../http/factory.ts";
import { found } from "../../http/found.ts";
import { ifMatch } from "../../http/input/entity-tag.ts";
import { id } from "../../http/input/id.ts";
import { IssueList, validationFailed } from "../../http/validation/issues.ts";
import { validate } from "../../http/validation/validate.ts";
import { type RecordRow, shownRecord } from "../../http/verbs/resource.ts";
import { respondRecord } from "../../http/verbs/respond-record.ts";
import { mergeHosts } from "./merge.ts";
import { hostResource } from "./model.ts";

const otherPath = "path.other_id";

/** Rejects hosts on different networks, since a host's whole history is on one network. */
const otherNetwork = (hostId: string, otherId: string): Guard =>
  invalidWhen(
    sql`exists (
      select from ${hosts} as host join ${hosts} as other on other.network_id <> host.network_id
      where host.id = ${hostId} and host.valid_to is null
        and other.id = ${otherId} and other.valid_to is null)`,
    otherPath,
    "must be a host on the same network",
  );

/**
 * Requires the role Admin if one of the hosts has credentials. The merge extends these credentials
 * to the addresses of the other host, which the caller may have chosen, so it requires the same
 * role as changing a credential.
 */
const changesCredentials = (hostId: string, otherId: string): Guard => sql`
  select 'auth_permission_denied',
    jsonb_build_object('required_role', 'Admin', 'role', app.key_role())
  where app.key_role() < 'Admin' and exists (
    select from ${credentialHosts} as assigned where assigned.host_id in (${hostId}, ${otherId}))`;

/**
 * Rejects the merge if the key cannot access one of the other host's credentials, since they would
 * move. This is checked first, since the database would reject the merge only after the other
 * writes.
 */
const beyondReach = (otherId: string): Guard => sql`
  select 'auth_scope_denied', '{}'::jsonb
  where exists (
    select from ${credentialHosts} as assigned
    where assigned.host_id = ${otherId} and not app.reaches_credential(assigned.credential_id))`;

/**
 * PUT /api/v1/hosts/{id}/consolidate/{other_id}: moves everything from the other host to this host,
 * and deletes the other host, in one transaction (API contract, section 9).
 */
export const consolidateHosts = factory.createHandlers(
  authenticate("Member"),
  validate({ param: z.object({ id, other_id: id }), header: z.object({ "if-match": ifMatch }) }),
  handles({
    errors: ["entity_not_found", "precondition_failed", "auth_scope_denied", "binding_conflict"],
    responses: { 200: ["ETag"] },
  }),
  async (c) => {
    const { id: hostId, other_id: otherId } = c.req.valid("param");
    const tags = c.req.valid("header")["if-match"];
    if (hostId === otherId) {
      throw validationFailed(
        IssueList.of({
          path: otherPath,
          message: "must be another host than the one in the path",
          code: "custom",
        }),
      );
    }
    const [{ rows }] = await c.var.tenant.run(
      (database) => [database.execute<RecordRow>(shownRecord(hostResource, hostId))],
      {
        violations: inventoryViolations,
        first: (database) => [
          database.execute(lock(hostResource, [hostId, otherId])),
          abortOnFirst(database, [
            notFound(hostResource, hostId),
            notFound(hostResource, otherId),
            ...(tags ? [changedSince(hostResource, hostId, tags)] : []),
            otherNetwork(hostId, otherId),
            changesCredentials(hostId, otherId),
            beyondReach(otherId),
          ]),
          ...mergeHosts(database, hostId, otherId),
        ],
      },
    );
    const row = found(rows, hostResource.entity, hostId);
    return respondRecord(c, hostResource, row, { id: hostId, isWritten: true });
  },
);
