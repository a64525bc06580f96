import { ok } from "../http/envelope.ts";
import { itemOf } from "../http/verbs/resource.ts";
import { upsertsWith, withExternalId } from "../http/verbs/upsert.ts";
import { provisionInput } from "./input.ts";
import { daemonResource } from "./model.ts";
import { provision } from "./provision.ts";
import { replacement } from "./routes.ts";

/**
 * PUT /api/v1/daemons/by-external-id/{external_id}: provisions a daemon, or replaces the one with
 * this external id. Both responses have the form of a provisioning, so that one type describes them.
 */
export const upsert = upsertsWith(daemonResource, replacement, {
  errors: ["entity_reference_invalid"],
  create: (c, sent, external_id) =>
    provision(c, withExternalId(provisionInput, sent, external_id), undefined),
  respond: async (c, row) => {
    c.header("ETag", row.etag);
    return ok(c, { daemon: itemOf(daemonResource, row), daemon_api_key: null });
  },
});
