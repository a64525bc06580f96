import { deleteMany, deleteOne, noQuery } from "../../http/verbs/delete.ts";
import { portResource } from "./model.ts";

const options = { role: "Member", scope: "networks", errors: [] } as const;

/** DELETE /api/v1/ports/{id}: ends one; history stays. */
export const deletePort = deleteOne(portResource, { ...options, query: noQuery });

/** POST /api/v1/ports/bulk-delete: ends up to 1,000, all or nothing. */
export const deletePorts = deleteMany(portResource, options);
