import { deleteMany, deleteOne, noQuery } from "../../http/verbs/delete.ts";
import { serviceResource } from "./model.ts";

const options = { role: "Member", scope: "networks", errors: [] } as const;

/** DELETE /api/v1/services/{id}: ends one; history stays. */
export const deleteService = deleteOne(serviceResource, { ...options, query: noQuery });

/** POST /api/v1/services/bulk-delete: ends up to 1,000, all or nothing. */
export const deleteServices = deleteMany(serviceResource, options);
