import * as z from "zod";
import { deletionDeadlineMs, tooMuchOnNetworks } from "../database/large-deletion.ts";
import { choice } from "../http/input/choice.ts";
import { deleteMany, deleteOne } from "../http/verbs/delete.ts";
import { networkResource } from "./model.ts";
import { deletionLocks, stillUsed } from "./sql.ts";

const query = z.strictObject({
  cascade: choice(["true", "false"])
    .transform((value) => value === "true")
    .optional(),
});

const options = {
  role: "Admin",
  scope: "organization",
  locks: deletionLocks,
} as const;

/**
 * DELETE /api/v1/networks/{id}: deletes a network. One with hosts or daemons only with
 * `cascade=true`, and they go with it, unless they are more than one request deletes.
 */
export const deleteNetwork = deleteOne(networkResource, {
  ...options,
  errors: ["entity_in_use", "deletion_too_large"],
  deadlineMs: deletionDeadlineMs,
  query,
  guards: (ids, { cascade }) => [cascade ? tooMuchOnNetworks(ids) : stillUsed(ids)],
});

/** POST /api/v1/networks/bulk-delete: deletes up to 1,000 networks without hosts and daemons. */
export const deleteNetworks = deleteMany(networkResource, {
  ...options,
  errors: ["entity_in_use"],
  guards: (ids) => [stillUsed(ids)],
});
