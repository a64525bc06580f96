import { deleteMany, deleteOne, noQuery } from "../../http/verbs/delete.ts";
import { ipAddressResource } from "./model.ts";

const options = { role: "Member", scope: "networks", errors: [] } as const;

/** DELETE /api/v1/ip-addresses/{id}: ends one; history stays. */
export const deleteIPAddress = deleteOne(ipAddressResource, { ...options, query: noQuery });

/** POST /api/v1/ip-addresses/bulk-delete: ends up to 1,000, all or nothing. */
export const deleteIPAddresses = deleteMany(ipAddressResource, options);
