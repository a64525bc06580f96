import { deletionDeadlineMs, tooMuchOnHosts } from "../../database/large-deletion.ts";
import { deleteMany, deleteOne, noQuery } from "../../http/verbs/delete.ts";
import { hostResource } from "./model.ts";
import { stillUsed } from "./sql.ts";

const options = {
  role: "Member",
  scope: "networks",
  deadlineMs: deletionDeadlineMs,
} as const;

/** DELETE /api/v1/hosts/{id}: ends a host and all that it carries; history stays. */
export const deleteHost = deleteOne(hostResource, {
  ...options,
  errors: ["entity_in_use"],
  query: noQuery,
  guards: (ids) => [stillUsed(ids)],
});

/** POST /api/v1/hosts/bulk-delete: ends up to 1,000 hosts with what they carry, all or nothing. */
export const deleteHosts = deleteMany(hostResource, {
  ...options,
  errors: ["entity_in_use", "deletion_too_large"],
  guards: (ids) => [stillUsed(ids), ...tooMuchOnHosts(ids)],
});
