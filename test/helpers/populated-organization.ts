import { eq } from "drizzle-orm";
import * as schema from "../../src/database/tables/index.ts";
import { openApi } from "./api.ts";
import { database } from "./database.ts";
import { bodyOf, collectionOf, operations } from "./operations.ts";
import {
  mintBinding,
  mintCredential,
  mintDaemon,
  mintHost,
  mintKey,
  mintOrganization,
  unreachable,
} from "./organization.ts";
import { recordIn } from "./records.ts";
import { mintToken } from "./tokens.ts";

/**
 * Creates an organization with a row in every table, so that tests can check that other callers
 * neither see nor change any of these rows, and that every operation finds its record. A collection
 * that is not in `records` gets a record through the API; rows for tables without a collection must
 * be added here.
 */
export async function mintPopulatedOrganization() {
  const organization = await mintOrganization({ name: "Before" });
  const { id: organization_id, networks, tags } = organization;
  const [network] = networks;
  const { host_id, service_id, port_id, ip_address_ids } = network;
  const [ip_address_id] = ip_address_ids;
  const [daemon_id, limited_key_id] = [crypto.randomUUID(), crypto.randomUUID()];
  const [, binding_id, credential_id, , other] = await Promise.all([
    mintDaemon(organization_id, network.id, { ...unreachable, id: daemon_id }),
    mintBinding(organization_id, network, { ip_address_id }),
    mintCredential(organization_id, {
      settings: { type: "SnmpV1", community: { mode: "Inline", value: "********" } },
    }),
    mintKey(organization_id, { id: limited_key_id }, [network.id]),
    mintHost(organization_id, network.id),
    // A reachable daemon, which can rescan the host.
    mintDaemon(organization_id, network.id, { interfaced_cidrs: ["198.51.100.0/24"] }),
  ]);
  const own = { organization_id, credential_id };
  const [subnet_id, session_id, interface_id, neighbor_id] = [
    crypto.randomUUID(),
    crypto.randomUUID(),
    crypto.randomUUID(),
    crypto.randomUUID(),
  ];
  const [webhook_id, delivery_id] = [crypto.randomUUID(), crypto.randomUUID()];
  const free_port_ids = Array.from({ length: 8 }, () => crypto.randomUUID());
  await database.batch([
    database
      .insert(schema.credentialSecrets)
      .values({ ...own, field: "community", sealed: "demo.AAAA" }),
    database.insert(schema.credentialTags).values({ ...own, tag_id: tags[0] }),
    database
      .insert(schema.networkTags)
      .values({ organization_id, network_id: network.id, tag_id: tags[0] }),
    database.insert(schema.subnets).values({
      organization_id,
      id: subnet_id,
      network_id: network.id,
      cidr: "198.51.100.0/24",
      name: "Test",
    }),
    database
      .update(schema.ipAddresses)
      .set({ subnet_id, address: "198.51.100.1" })
      .where(eq(schema.ipAddresses.id, ip_address_id)),
    // One of these two records is removed below.
    database
      .insert(schema.subnetTags)
      .values(tags.map((tag_id) => ({ organization_id, subnet_id, tag_id }))),
    database
      .insert(schema.hostTags)
      .values(tags.map((tag_id) => ({ organization_id, host_id, tag_id }))),
    database
      .insert(schema.serviceTags)
      .values(tags.map((tag_id) => ({ organization_id, service_id, tag_id }))),
    database.insert(schema.ports).values(
      free_port_ids.map((id, last) => ({
        organization_id,
        network_id: network.id,
        host_id,
        id,
        number: 9000 + last,
        protocol: "Udp" as const,
      })),
    ),
    database.insert(schema.interfaces).values({
      native_vlan: 20,
      organization_id,
      network_id: network.id,
      host_id,
      id: interface_id,
      if_index: 1,
      ip_address_ids: [ip_address_id],
    }),
    database.insert(schema.neighbors).values({
      organization_id,
      network_id: network.id,
      host_id,
      id: neighbor_id,
      interface_id,
      protocol: "Lldp",
      chassis_subtype: "MacAddress",
      chassis_value: "02:00:5E:00:00:07",
    }),
    database.insert(schema.discoverySessions).values({
      organization_id,
      network_id: network.id,
      daemon_id,
      id: session_id,
    }),
    database.insert(schema.daemonTags).values({ organization_id, daemon_id, tag_id: tags[0] }),
    database.insert(schema.idempotencyKeys).values({
      organization_id,
      api_key_id: limited_key_id,
      key: "populated",
      operation: "create_tag",
      request_digest: "00".repeat(32),
      record_ids: [tags[0]],
    }),
    database.insert(schema.webhooks).values({
      organization_id,
      id: webhook_id,
      name: "Before",
      url: "https://receiver.invalid/",
      network_ids: [network.id],
      secret_hint: "AAAA",
      position_at: "0001-01-01T00:00:00.000Z",
      position_entity: "~",
      position_id: organization_id,
      disabled_reason: "requested",
    }),
    database
      .insert(schema.webhookSecrets)
      .values({ organization_id, webhook_id, is_former: false, sealed: "demo.AAAA" }),
    database.insert(schema.webhookDeliveries).values({
      organization_id,
      id: delivery_id,
      webhook_id,
      message_id: "msg_populated",
      after_at: "2026-01-01T00:00:00.000Z",
      after_entity: "~",
      after_id: organization_id,
      until_at: "2026-01-02T00:00:00.000Z",
      until_entity: "~",
      until_id: organization_id,
      state: "failed",
      attempt_count: 8,
      last_attempt_at: "2026-01-03T00:00:00.000Z",
      duration_ms: 15,
      error: "timed_out",
    }),
    database.insert(schema.credentialNetworks).values({ ...own, network_id: network.id }),
    database
      .insert(schema.credentialHosts)
      .values({ ...own, host_id, is_limited_to_addresses: true }),
    database.insert(schema.credentialHostIpAddresses).values({ ...own, host_id, ip_address_id }),
  ]);
  await database.batch([
    database.delete(schema.subnetTags).where(eq(schema.subnetTags.tag_id, tags[1])),
    database.delete(schema.hostTags).where(eq(schema.hostTags.tag_id, tags[1])),
    database.delete(schema.serviceTags).where(eq(schema.serviceTags.tag_id, tags[1])),
  ]);
  /** The id of one record from each collection, by the collection's name in paths. */
  const records = {
    organizations: organization_id,
    networks: network.id,
    subnets: subnet_id,
    tags: tags[0],
    credentials: credential_id,
    daemons: daemon_id,
    "discovery/sessions": session_id,
    hosts: host_id,
    "ip-addresses": ip_address_id,
    ports: port_id,
    interfaces: interface_id,
    neighbors: neighbor_id,
    services: service_id,
    bindings: binding_id,
    "auth/keys": limited_key_id,
    webhooks: webhook_id,
  };
  const populated = {
    ...organization,
    network,
    ip_address_id,
    daemon_id,
    binding_id,
    credential_id,
    limited_key_id,
    /** A delivery of the webhook. */
    delivery_id,
    /** The host's ports that have no binding. */
    free_port_ids,
    /** Another host on the network. */
    other_host_id: other.host_id,
    records,
  };
  for (const route of creations) {
    const collection = collectionOf(route);
    if (!(collection in records)) {
      const json = bodyOf(route, populated);
      const answer = await openApi().send("POST", route.path, {
        key: organization.keys.owner,
        json,
      });
      Object.assign(records, { [collection]: recordIn(answer, 201).id });
    }
  }
  await mintToken(organization.keys.viewer);
  return populated;
}

/** The operations that create a record with an id. */
const creations = operations.filter(
  ({ method, path }) =>
    method === "POST" && operations.some((other) => other.name === `PUT ${path}/:id`),
);

/** The ids of one record of each collection. */
export type Records = PopulatedOrganization["records"];

export type PopulatedOrganization = Awaited<ReturnType<typeof mintPopulatedOrganization>>;
