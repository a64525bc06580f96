import { expect } from "vitest";
import * as z from "zod";
import { openInventory } from "./inventory.ts";
import { mintOrganization } from "./organization.ts";

/** A record with an external id and metadata. */
export const recordSchema = z.looseObject({
  id: z.string(),
  external_id: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
});

/** An organization with a host, and functions that send requests with the owner's key. */
export async function openOwners() {
  const organization = await mintOrganization();
  const inventory = await openInventory({}, organization);
  const host = await inventory.create("hosts", { name: "Owner of services" });
  const send = (
    method: string,
    path: string,
    json?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ) =>
    inventory.api.send(method, `/api/v1/${path}`, { key: organization.keys.owner, json, headers });
  return { ...inventory, organization, host, send };
}
export type Owners = Awaited<ReturnType<typeof openOwners>>;

let names = 0;
const name = () => `Record ${names++}`;
let blocks = 0;

/** A kind of records that have an external id and metadata. */
export interface OwnDataKind {
  entity: string;
  collection: string;
  /** The body of a new record, without optional fields. Its natural key differs each time. */
  body(opened: Owners): object;
}

/** All kinds of records that have an external id and metadata. */
export const ownDataKinds: readonly OwnDataKind[] = [
  {
    entity: "Host",
    collection: "hosts",
    body: ({ network_id }) => ({ network_id, name: name() }),
  },
  {
    entity: "Service",
    collection: "services",
    body: ({ host }) => ({ host_id: host.id, name: name() }),
  },
  {
    entity: "Subnet",
    collection: "subnets",
    body: ({ network_id }) => ({ network_id, cidr: `10.77.${blocks++}.0/24` }),
  },
  { entity: "Network", collection: "networks", body: () => ({ name: name() }) },
  {
    entity: "Credential",
    collection: "credentials",
    body: ({ organization }) => ({
      organization_id: organization.id,
      name: name(),
      tags: [],
      assigned_network_ids: [],
      host_assignments: [],
      credential_type: { type: "DockerSocket" },
    }),
  },
  {
    entity: "Daemon",
    collection: "daemons",
    body: ({ network_id }) => ({ network_id, name: name(), url: "https://daemon.example.com/" }),
  },
  { entity: "Tag", collection: "tags", body: () => ({ name: name() }) },
];

/** Sends a request that creates a record. */
export const postRecord = ({ send }: Owners, { collection }: OwnDataKind, body: object) =>
  send("POST", collection === "daemons" ? "daemons/provision" : collection, body);

/** Creates a record, which must succeed. */
export async function createRecord(opened: Owners, kind: OwnDataKind, own: object) {
  const body = kind.body(opened);
  const answer = await postRecord(opened, kind, { ...body, ...own });
  expect(answer.status).toBe(201);
  const { data } = z
    .object({ data: z.union([z.object({ daemon: recordSchema }), recordSchema]) })
    .parse(answer.body);
  const record = recordSchema.parse("daemon" in data ? data.daemon : data);
  return { body, record, path: `${kind.collection}/${record.id}` };
}
