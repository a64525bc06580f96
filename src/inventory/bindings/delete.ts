import { deleteMany, deleteOne, noQuery } from "../../http/verbs/delete.ts";
import { bindingResource } from "./model.ts";

const options = { role: "Member", scope: "networks", errors: [] } as const;

/** DELETE /api/v1/bindings/{id}: ends one; history stays. */
export const deleteBinding = deleteOne(bindingResource, { ...options, query: noQuery });

/** POST /api/v1/bindings/bulk-delete: ends up to 1,000, all or nothing. */
export const deleteBindings = deleteMany(bindingResource, options);
