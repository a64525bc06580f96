import pg from "pg";
import * as z from "zod";
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
  /** 1,000,000 bindings of ten organizations. */
  million: LoadedDatabase;
  /** A tenth of it, in the same shares. */
  tenth: LoadedDatabase;
  /** 500,000 live bindings of one organization. */
  stream: LoadedDatabase;
  /** How often ours and the reference are measured by turns. */
  rounds: number;
  isQuick: boolean;
}

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

const idsSchema = z.tuple([
  z.object({
    organization: z.string(),
    credential: z.string(),
    daemon: z.string(),
    tags: z.array(z.string()),
    networks: z.array(z.string()),
    hosts: z.array(z.string()),
  }),
]);

/** Every operation, on an ordinary organization. */
export async function operations({ client }: LoadedDatabase): Promise<Operation[]> {
  const { rows } = await client.query(`
    select id as organization,
      (select min(id::text) from credentials where organization_id = own.id) as credential,
      (select min(id::text) from daemons where organization_id = own.id) as daemon,
      array(select id from tags where organization_id = own.id limit 2) as tags,
      array(select id from networks where organization_id = own.id limit 2) as networks,
      array(select id from hosts where organization_id = own.id limit 3) as hosts
    from organizations as own where name = 'bench 2'`);
  const [{ organization, credential, daemon, tags, networks, hosts }] = idsSchema.parse(rows);
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
        path: `/api/v1/credentials/${credential}`,
        key: ordinary,
        json: {
          name: "Core switches",
          organization_id: organization,
          tags,
          assigned_network_ids: networks,
          host_assignments: hosts.map((host_id) => ({ host_id, ip_address_ids: null })),
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
        json: "bench 2",
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
