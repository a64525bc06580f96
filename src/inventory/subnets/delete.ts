import { deletionDeadlineMs, tooMuchInSubnets } from "../../database/large-deletion.ts";
import { deleteMany, deleteOne, noQuery } from "../../http/verbs/delete.ts";
import { subnetResource } from "./model.ts";

const options = {
  role: "Member",
  scope: "networks",
  errors: ["entity_in_use", "deletion_too_large"],
  guards: (ids: readonly string[]) => [tooMuchInSubnets(ids)],
  // All addresses in it are written.
  deadlineMs: deletionDeadlineMs,
} as const;

/** DELETE /api/v1/subnets/{id}: ends one; history stays. */
export const deleteSubnet = deleteOne(subnetResource, { ...options, query: noQuery });

/** POST /api/v1/subnets/bulk-delete: ends up to 1,000, all or nothing. */
export const deleteSubnets = deleteMany(subnetResource, options);
