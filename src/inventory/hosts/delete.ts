import { deleteMany, deleteOne, noQuery } from "../../http/verbs/delete.ts";
import { hostResource } from "./model.ts";
import { stillUsed } from "./sql.ts";

const options = { role: "Member", scope: "networks", errors: ["entity_in_use"] } as const;
const guards = (ids: readonly string[]) => [stillUsed(ids)];

/** DELETE /api/v1/hosts/{id}: ends a host and all that it carries; history stays. */
export const deleteHost = deleteOne(hostResource, { ...options, query: noQuery, guards });

/** POST /api/v1/hosts/bulk-delete: ends up to 1,000 hosts, all or nothing. */
export const deleteHosts = deleteMany(hostResource, { ...options, guards });
