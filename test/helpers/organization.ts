import { eq } from "drizzle-orm";
import { hashApiKey, mintApiKey } from "../../src/api-key.ts";
import * as schema from "../../src/database/tables/index.ts";
import { database, sql } from "./database.ts";

type Insert<Table extends { $inferInsert: unknown }> = Partial<Table["$inferInsert"]>;

/**
 * Makes an organization of the test's own: a key per role, two networks with a host each, and on
 * every host two addresses, a port and a service; two tags.
 */
export async function mintOrganization(values: Insert<typeof schema.organizations> = {}) {
  const id = crypto.randomUUID();
  await database.insert(schema.organizations).values({ name: "Test", ...values, id });
  const networks = [await mintNetwork(id), await mintNetwork(id)] as const;
  const tags = [crypto.randomUUID(), crypto.randomUUID()] as const;
  await database
    .insert(schema.tags)
    .values(tags.map((tag) => ({ id: tag, organization_id: id, name: tag })));
  const keys = {
    viewer: await mintKey(id, { role: "Viewer" }),
    member: await mintKey(id, { role: "Member" }),
    admin: await mintKey(id, { role: "Admin" }),
    owner: await mintKey(id, { role: "Owner" }),
  };
  // What is made above reaches milestones: a test has those that it asks for.
  await database
    .update(schema.organizations)
    .set({ onboarding: values.onboarding ?? [] })
    .where(eq(schema.organizations.id, id));
  return { id, keys, networks, tags };
}

export type Organization = Awaited<ReturnType<typeof mintOrganization>>;

/** Makes a key. Returns its plaintext. */
export async function mintKey(
  organization_id: string,
  values: Insert<typeof schema.userApiKeys> = {},
  networkIds?: readonly string[],
): Promise<string> {
  const key = mintApiKey();
  const id = crypto.randomUUID();
  await database.insert(schema.userApiKeys).values({
    name: "Test",
    role: "Viewer",
    is_limited_to_networks: networkIds !== undefined,
    ...values,
    id,
    organization_id,
  });
  await database
    .insert(schema.userApiKeySecrets)
    .values({ organization_id, api_key_id: id, key_hash: await hashApiKey(key) });
  for (const network_id of networkIds ?? []) {
    await database
      .insert(schema.userApiKeyNetworks)
      .values({ organization_id, api_key_id: id, network_id });
  }
  return key;
}

/** Makes a network with a host that has two addresses, a port and a service. */
export async function mintNetwork(organization_id: string) {
  const id = crypto.randomUUID();
  await database.insert(schema.networks).values({ id, organization_id, name: "Test" });
  return { id, ...(await mintHost(organization_id, id)) };
}

export type Network = Awaited<ReturnType<typeof mintNetwork>>;

/** Makes a host with two addresses, a port and a service. */
export async function mintHost(organization_id: string, network_id: string) {
  const host_id = crypto.randomUUID();
  const service_id = crypto.randomUUID();
  const port_id = crypto.randomUUID();
  const ip_address_ids = [crypto.randomUUID(), crypto.randomUUID()] as const;
  const onHost = { organization_id, network_id, host_id };
  await database.batch([
    database
      .insert(schema.hosts)
      .values({ organization_id, network_id, id: host_id, name: "Test" }),
    database
      .insert(schema.ipAddresses)
      .values(
        ip_address_ids.map((id, last) => ({ ...onHost, id, address: `192.0.2.${last + 1}` })),
      ),
    database.insert(schema.ports).values({ ...onHost, id: port_id, number: 443, protocol: "Tcp" }),
    database.insert(schema.services).values({ ...onHost, id: service_id, name: "Test" }),
  ]);
  return { host_id, service_id, port_id, ip_address_ids };
}

/** Makes a daemon on a network, with a token that opens nowhere unless one is given. Returns its id. */
export async function mintDaemon(
  organization_id: string,
  network_id: string,
  values: Insert<typeof schema.daemons> = {},
  sealed = "demo.unused",
): Promise<string> {
  const { id = crypto.randomUUID() } = values;
  await database.batch([
    database.insert(schema.daemons).values({
      name: "Test",
      url: "https://daemon.example.com",
      ...values,
      id,
      organization_id,
      network_id,
    }),
    database
      .insert(schema.daemonSecrets)
      .values({ organization_id, daemon_id: id, field: "token", sealed }),
  ]);
  return id;
}

/** Makes daemons of an organization, without tokens, that have been due for so long. */
export const mintDueDaemons = (
  { id, networks }: Pick<Organization, "id" | "networks">,
  count: number,
  dueFor = "1 minute",
  url = "https://daemon.example.com",
) => sql`
  insert into daemons (organization_id, network_id, name, url, next_poll_at)
  select ${id}, ${networks[0].id}, 'Test', ${url}, now() - ${dueFor}::interval
  from generate_series(1, ${count}::int)`;

/** What makes a daemon unreachable. */
export const unreachable = {
  consecutive_failures: 5,
  unreachable_since: "2026-01-02T03:04:05.678Z",
  last_error: "timed_out",
  last_error_at: "2026-01-02T03:04:05.678Z",
  next_poll_at: null,
} as const;

/** Makes a live binding of a network's service to its port. Returns its id. */
export async function mintBinding(
  organization_id: string,
  network: Network,
  values: Insert<typeof schema.bindings> = {},
): Promise<string> {
  const id = crypto.randomUUID();
  await database.insert(schema.bindings).values({
    id,
    type: "Port",
    service_id: network.service_id,
    port_id: network.port_id,
    ...values,
    organization_id,
    network_id: network.id,
  });
  return id;
}

/** Makes a credential without assignments. Returns its id. */
export async function mintCredential(
  organization_id: string,
  values: Insert<typeof schema.credentials> = {},
): Promise<string> {
  const id = crypto.randomUUID();
  await database
    .insert(schema.credentials)
    .values({ name: "Test", settings: { type: "DockerSocket" }, ...values, id, organization_id });
  return id;
}
