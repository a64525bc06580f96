import * as z from "zod";
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
  errors: ["entity_in_use"],
  locks: deletionLocks,
} as const;

/**
 * DELETE /api/v1/networks/{id}: deletes a network. One with hosts or daemons only with
 * `cascade=true`, and they go with it.
 */
export const deleteNetwork = deleteOne(networkResource, {
  ...options,
  query,
  guards: (ids, { cascade }) => (cascade ? [] : [stillUsed(ids)]),
});

/** POST /api/v1/networks/bulk-delete: deletes up to 1,000 networks without hosts and daemons. */
export const deleteNetworks = deleteMany(networkResource, {
  ...options,
  guards: (ids) => [stillUsed(ids)],
});
