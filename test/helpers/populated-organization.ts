import { and, eq } from "drizzle-orm";
import * as schema from "../../src/database/tables/index.ts";
import { database } from "./database.ts";
import {
  mintBinding,
  mintCredential,
  mintDaemon,
  mintKey,
  mintOrganization,
  unreachable,
} from "./organization.ts";

/**
 * Makes an organization that has a row in every table, so that a test can see that none of them is
 * shown to, or changed by, anybody else. A new table belongs in here.
 */
export async function mintPopulatedOrganization() {
  const organization = await mintOrganization({ name: "Populated" });
  const { id: organization_id, networks, tags } = organization;
  const [network] = networks;
  const { host_id, ip_address_ids } = network;
  const [ip_address_id] = ip_address_ids;
  await mintKey(organization_id, {}, [network.id]);
  const [limited] = await database
    .select({ id: schema.userApiKeys.id })
    .from(schema.userApiKeys)
    .where(
      and(
        eq(schema.userApiKeys.organization_id, organization_id),
        eq(schema.userApiKeys.is_limited_to_networks, true),
      ),
    );
  const daemon_id = await mintDaemon(organization_id, network.id, unreachable);
  const binding_id = await mintBinding(organization_id, network, { ip_address_id });
  const credential_id = await mintCredential(organization_id);
  const own = { organization_id, credential_id };
  await database.batch([
    database
      .insert(schema.credentialSecrets)
      .values({ ...own, field: "community", sealed: "demo.AAAA" }),
    database.insert(schema.credentialTags).values({ ...own, tag_id: tags[0] }),
    database
      .insert(schema.networkTags)
      .values({ organization_id, network_id: network.id, tag_id: tags[0] }),
    database.insert(schema.daemonTags).values({ organization_id, daemon_id, tag_id: tags[0] }),
    database.insert(schema.idempotencyKeys).values({
      organization_id,
      api_key_id: limited?.id ?? "",
      key: "populated",
      operation: "create_tag",
      request_digest: "00".repeat(32),
      record_ids: [tags[0]],
    }),
    database.insert(schema.credentialNetworks).values({ ...own, network_id: network.id }),
    database
      .insert(schema.credentialHosts)
      .values({ ...own, host_id, is_limited_to_addresses: true }),
    database.insert(schema.credentialHostIpAddresses).values({ ...own, host_id, ip_address_id }),
  ]);
  return {
    ...organization,
    network,
    ip_address_id,
    daemon_id,
    binding_id,
    credential_id,
    limited_key_id: limited?.id ?? "",
  };
}

export type PopulatedOrganization = Awaited<ReturnType<typeof mintPopulatedOrganization>>;
