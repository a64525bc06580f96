import { deleteMany, deleteOne, noQuery } from "../http/verbs/delete.ts";
import { daemonResource } from "./model.ts";

const options = { role: "Member", scope: "networks", errors: [] } as const;

/** DELETE /api/v1/daemons/{id}: deletes a daemon, which is not polled any more. */
export const deleteDaemon = deleteOne(daemonResource, { ...options, query: noQuery });

/** POST /api/v1/daemons/bulk-delete: deletes up to 1,000 daemons, all or nothing. */
export const deleteDaemons = deleteMany(daemonResource, options);
