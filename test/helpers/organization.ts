import { eq } from "drizzle-orm";
import { hashApiKey, mintApiKey } from "../../src/api-key.ts";
import * as schema from "../../src/database/tables/index.ts";
import { database, sql } from "./database.ts";

type Insert<Table extends { $inferInsert: unknown }> = Partial<Table["$inferInsert"]>;

/**
 * Creates an organization in one database call: a key per role, two networks with one host each,
 * two addresses, a port and a service on every host, and two tags.
 */
export async function mintOrganization(values: Insert<typeof schema.organizations> = {}) {
  const id = crypto.randomUUID();
  const networks = [newNetwork(id), newNetwork(id)] as const;
  const tags = [crypto.randomUUID(), crypto.randomUUID()] as const;
  const keys = {
    viewer: await newKey(id, { role: "Viewer" }),
    member: await newKey(id, { role: "Member" }),
    admin: await newKey(id, { role: "Admin" }),
    owner: await newKey(id, { role: "Owner" }),
  };
  await database.batch([
    database.insert(schema.organizations).values({ name: "Test", ...values, id }),
    database
      .insert(schema.tags)
      .values(tags.map((tag) => ({ id: tag, organization_id: id, name: tag }))),
    database.insert(schema.userApiKeys).values(Object.values(keys).map(({ row }) => row)),
    database
      .insert(schema.userApiKeySecrets)
      .values(Object.values(keys).map(({ secret }) => secret)),
    database.insert(schema.networks).values(networks.map(({ row }) => row)),
    ...insertHosts(networks.map(({ host }) => host)),
    // Reset the milestones that the statements above reach, so that the organization has only the
    // requested milestones.
    database
      .update(schema.organizations)
      .set({ onboarding: values.onboarding ?? [] })
      .where(eq(schema.organizations.id, id)),
  ]);
  const [first, second] = networks;
  return {
    id,
    keys: {
      viewer: keys.viewer.plaintext,
      member: keys.member.plaintext,
      admin: keys.admin.plaintext,
      owner: keys.owner.plaintext,
    },
    networks: [first.network, second.network] as const,
    tags,
  };
}

export type Organization = Awaited<ReturnType<typeof mintOrganization>>;

async function newKey(organization_id: string, values: Insert<typeof schema.userApiKeys>) {
  const plaintext = mintApiKey();
  const key_hash = await hashApiKey(plaintext);
  const { id = crypto.randomUUID() } = values;
  return {
    plaintext,
    row: { name: "Test", role: "Viewer", ...values, id, organization_id },
    secret: { organization_id, api_key_id: id, key_hash },
  } as const;
}

/** Creates a key, restricted to the given networks, if any. Returns its plaintext. */
export async function mintKey(
  organization_id: string,
  values: Insert<typeof schema.userApiKeys> = {},
  networkIds?: readonly string[],
): Promise<string> {
  const is_limited_to_networks = networkIds !== undefined;
  const { plaintext, row, secret } = await newKey(organization_id, {
    is_limited_to_networks,
    ...values,
  });
  const limits = (networkIds ?? []).map((network_id) =>
    database
      .insert(schema.userApiKeyNetworks)
      .values({ organization_id, api_key_id: row.id, network_id }),
  );
  await database.batch([
    database.insert(schema.userApiKeys).values(row),
    database.insert(schema.userApiKeySecrets).values(secret),
    ...limits,
  ]);
  return plaintext;
}

function newNetwork(organization_id: string) {
  const id = crypto.randomUUID();
  const host = newHost(organization_id, id);
  return { row: { id, organization_id, name: "Test" }, host, network: { id, ...host.ids } };
}

/** Creates a network with a host that has two addresses, a port and a service. */
export async function mintNetwork(organization_id: string) {
  const { row, host, network } = newNetwork(organization_id);
  await database.batch([database.insert(schema.networks).values(row), ...insertHosts([host])]);
  return network;
}

export type Network = Awaited<ReturnType<typeof mintNetwork>>;

function newHost(organization_id: string, network_id: string) {
  const host_id = crypto.randomUUID();
  const [service_id, port_id] = [crypto.randomUUID(), crypto.randomUUID()];
  const ip_address_ids = [crypto.randomUUID(), crypto.randomUUID()] as const;
  const onHost = { organization_id, network_id, host_id };
  return {
    ids: { host_id, service_id, port_id, ip_address_ids },
    host: { organization_id, network_id, id: host_id, name: "Test" },
    addresses: ip_address_ids.map((id, last) => ({
      ...onHost,
      id,
      address: `192.0.2.${last + 1}`,
    })),
    port: { ...onHost, id: port_id, number: 443, protocol: "Tcp" },
    service: { ...onHost, id: service_id, name: "Test" },
  } as const;
}

const insertHosts = (hosts: ReturnType<typeof newHost>[]) =>
  [
    database.insert(schema.hosts).values(hosts.map(({ host }) => host)),
    database.insert(schema.ipAddresses).values(hosts.flatMap(({ addresses }) => addresses)),
    database.insert(schema.ports).values(hosts.map(({ port }) => port)),
    database.insert(schema.services).values(hosts.map(({ service }) => service)),
  ] as const;

/** Creates a host with two addresses, a port and a service. */
export async function mintHost(organization_id: string, network_id: string) {
  const host = newHost(organization_id, network_id);
  await database.batch(insertHosts([host]));
  return host.ids;
}

/** Creates a subnet with a unique block. Returns its id. */
export async function mintSubnet(organization_id: string, network_id: string): Promise<string> {
  const id = crypto.randomUUID();
  const words = id.replaceAll("-", "").match(/.{4}/g)?.slice(0, 4).join(":");
  await database
    .insert(schema.subnets)
    .values({ id, organization_id, network_id, cidr: `${words}::/64`, name: "Test" });
  return id;
}

/** Creates a daemon on a network. By default, its token cannot be opened. Returns its id. */
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
      receives_credentials: true,
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

/** Creates daemons without tokens in an organization; they have been due for the given duration. */
export const mintDueDaemons = (
  { id, networks }: Pick<Organization, "id" | "networks">,
  count: number,
  dueFor = "1 minute",
  url = "https://daemon.example.com",
) => sql`
  insert into daemons (organization_id, network_id, name, url, next_poll_at)
  select ${id}, ${networks[0].id}, 'Test', ${url}, now() - ${dueFor}::interval
  from generate_series(1, ${count}::int)`;

/** The columns of an unreachable daemon. */
export const unreachable = {
  consecutive_failures: 5,
  unreachable_since: "2026-01-02T03:04:05.678Z",
  last_error: "timed_out",
  last_error_at: "2026-01-02T03:04:05.678Z",
  next_poll_at: null,
} as const;

/** Creates a port on a network's host. Returns its id. */
export async function mintPort(
  organization_id: string,
  { id: network_id, host_id }: Pick<Network, "id" | "host_id">,
  number: number,
): Promise<string> {
  const id = crypto.randomUUID();
  await database
    .insert(schema.ports)
    .values({ id, organization_id, network_id, host_id, number, protocol: "Tcp" });
  return id;
}

/**
 * Gives the service, port and addresses of a network's host closed versions that start in 2020, for
 * bindings that are older than the test.
 */
async function mintPast({ host_id }: Network): Promise<void> {
  for (const [table, own] of [
    ["services", "name, service_definition"],
    ["ports", "number, protocol"],
    ["ip_addresses", "address"],
  ] as const) {
    const columns = sql.unsafe(`organization_id, network_id, host_id, ${own}`);
    const places = sql.unsafe(table);
    await sql`
      insert into ${places} (${columns}, id, lineage_id, valid_from, valid_to)
      select ${columns}, gen_random_uuid(), id, '2020-01-01T00:00:00Z', valid_from
      from ${places} as live where host_id = ${host_id} and valid_to is null
        and not exists (select from ${places} as past where past.lineage_id = live.id)`;
  }
}

/** Creates a live binding of a network's service to its port. Returns its id. */
export async function mintBinding(
  organization_id: string,
  network: Network,
  values: Insert<typeof schema.bindings> = {},
): Promise<string> {
  const id = crypto.randomUUID();
  if (values.valid_from) {
    await mintPast(network);
  }
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

/** Creates a credential without assignments. Returns its id. */
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
