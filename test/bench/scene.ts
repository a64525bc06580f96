import { createHash } from "node:crypto";
import { keyOf } from "./load.ts";
import type { BenchRequest } from "./requests.ts";

/** The namespace of the bench's inventory. */
export const namespace = "bench";

/** The size of `inventory`: the largest organization has 100,000 live bindings. */
export const tenOrganizations = {
  namespace,
  organizations: 10,
  history: true,
  bindings: 600_000,
  credentials: 10_000,
};

/**
 * The largest organization has half of everything; the other organizations are of ordinary size.
 */
export const largest = keyOf(1);
export const ordinary = keyOf(2);

/** An instant in the middle of history. */
export const middle = "2025-01-01T00:00:00.000Z";

export const list = (path: string, key = largest): BenchRequest => ({
  method: "GET",
  path: `/api/v1/${path}`,
  key,
});

/** An operation with a request that succeeds. */
export interface Operation {
  name: string;
  request: BenchRequest;
}

/** The id of a record in an inventory, derived in the same way as in its SQL. */
export function idOf(...parts: (string | number)[]): string {
  const hex = createHash("md5")
    .update([namespace, ...parts].join(":"))
    .digest("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/**
 * The number of credentials that are updated. It is large enough that concurrent clients rarely
 * update the same one.
 */
const updatedCredentials = 32;

/**
 * An update to a credential of an ordinary organization. Each round of updates replaces both tags
 * and the secret of every credential.
 */
export function updateCredential(number: number): BenchRequest {
  const firstTag = Math.floor(number / updatedCredentials) % 2 === 0 ? 0 : 2;
  return {
    method: "PUT",
    path: `/api/v1/credentials/${idOf("credential", 2, number % updatedCredentials)}`,
    key: ordinary,
    json: {
      name: "Core switches",
      organization_id: idOf("organization", 2),
      tags: [idOf("tag", 2, firstTag), idOf("tag", 2, firstTag + 1)],
      assigned_network_ids: [idOf("network", 2, 0), idOf("network", 2, 1)],
      host_assignments: [
        { host_id: idOf("host", 2, 0), ip_address_ids: [idOf("address", 2, 0, 0)] },
        { host_id: idOf("host", 2, 1), ip_address_ids: null },
      ],
      credential_type: { type: "SnmpV2c", community: { mode: "Inline", value: "a secret" } },
    },
  };
}

/** A sample of operations, on an ordinary organization. */
export function operations(): Operation[] {
  const organization = idOf("organization", 2);
  const daemon = idOf("daemon", 2, 0);
  return [
    { name: "list credentials", request: list("credentials", ordinary) },
    { name: "list bindings", request: list("bindings", ordinary) },
    { name: "list bindings of the past", request: list(`bindings?at=${middle}`, ordinary) },
    { name: "list daemons", request: list("daemons", ordinary) },
    { name: "read a daemon", request: list(`daemons/${daemon}`, ordinary) },
    { name: "update a credential", request: updateCredential(0) },
    {
      name: "rename an organization",
      request: {
        method: "PUT",
        path: `/api/v1/organizations/${organization}`,
        key: ordinary,
        json: "Renamed",
      },
    },
    {
      name: "retry a daemon's connection",
      request: {
        method: "POST",
        path: `/api/v1/daemons/${daemon}/retry-connection`,
        key: ordinary,
      },
    },
  ];
}
