import { createHash } from "node:crypto";
import type pg from "pg";
import type { Bundle } from "./bundle.ts";
import type { DatabaseProcess } from "./database-process.ts";
import { keyOf } from "./load.ts";
import type { BenchRequest } from "./requests.ts";

/** A loaded database, what answers for it, and a connection to it as its owner. */
export interface LoadedDatabase {
  server: DatabaseProcess;
  client: pg.Client;
}

/** What the measurements have to work with. */
export interface Scene {
  bundle: Bundle;
  /** The database that the Worker asks: the million, or where there is no Postgres, PGlite. */
  server: DatabaseProcess;
  /** How often ours and the reference are measured by turns. */
  rounds: number;
  isQuick: boolean;
}

/** The databases of a real Postgres. */
export interface Databases {
  /** 1,000,000 bindings of ten organizations. */
  million: LoadedDatabase;
  /** A tenth of it, in the same shares. */
  tenth: LoadedDatabase;
  /** 500,000 live bindings of one organization. */
  stream: LoadedDatabase;
  /** 100,000 live bindings of one organization. */
  alone: LoadedDatabase;
}

/** Names the inventory of the bench. */
export const namespace = "bench";

/** The largest organization has half of everything; any other one is an ordinary one. */
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

/** The id of a record of the inventory, as its SQL makes it. */
function idOf(...parts: (string | number)[]): string {
  const hex = createHash("md5")
    .update([namespace, ...parts].join(":"))
    .digest("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** An organization to create records in, and what they can refer to. */
export const third = {
  organization: 3,
  id: idOf("organization", 3),
  tags: [idOf("tag", 3, 0), idOf("tag", 3, 1)],
  networks: [idOf("network", 3, 0)],
};

/** Every operation, on an ordinary organization. */
export function operations(): Operation[] {
  const organization = idOf("organization", 2);
  const daemon = idOf("daemon", 2, 0);
  return [
    { name: "list credentials", request: list("credentials", ordinary) },
    { name: "list bindings", request: list("bindings", ordinary) },
    { name: "list bindings of the past", request: list(`bindings?at=${middle}`, ordinary) },
    { name: "list daemons", request: list("daemons", ordinary) },
    { name: "read a daemon", request: list(`daemons/${daemon}`, ordinary) },
    {
      name: "update a credential",
      request: {
        method: "PUT",
        path: `/api/v1/credentials/${idOf("credential", 2, 0)}`,
        key: ordinary,
        json: {
          name: "Core switches",
          organization_id: organization,
          tags: [idOf("tag", 2, 0), idOf("tag", 2, 1)],
          assigned_network_ids: [idOf("network", 2, 0), idOf("network", 2, 1)],
          host_assignments: [
            { host_id: idOf("host", 2, 0), ip_address_ids: [idOf("address", 2, 0, 0)] },
            { host_id: idOf("host", 2, 1), ip_address_ids: null },
          ],
          credential_type: { type: "SnmpV2c", community: { mode: "Inline", value: "a secret" } },
        },
      },
    },
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
