import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import type { KeyRing } from "../../src/database/sealing.ts";
import * as schema from "../../src/database/tables/index.ts";
import demo from "../demo.json" with { type: "json" };
import { demoCredentials } from "./credentials.ts";
import { demoId } from "./id.ts";
import { demoHosts } from "./inventory.ts";

const start = Date.parse("2025-03-05T17:00:00.000Z");

/** Inserts the demo credentials, with secrets sealed by the demo key. */
export async function seedCredentials(
  database: NodePgDatabase,
  organization_id: string,
  ring: KeyRing,
): Promise<void> {
  for (const [position, credential] of demoCredentials.entries()) {
    const credential_id = demoId(credential.key);
    const created_at = new Date(start + position * 86_400_000).toISOString();
    const own = { organization_id, credential_id };
    const { name, settings } = credential;
    await database.insert(schema.credentials).values({
      id: credential_id,
      organization_id,
      created_at,
      updated_at: created_at,
      name,
      settings,
    });
    for (const [field, secret] of Object.entries(credential.secrets)) {
      const sealed = await ring.seal(secret, {
        record: "credential",
        organization_id,
        id: credential_id,
        field,
      });
      await database.insert(schema.credentialSecrets).values({ ...own, field, sealed });
    }
    for (const tag of credential.tags) {
      await database.insert(schema.credentialTags).values({ ...own, tag_id: demoId(`tag ${tag}`) });
    }
    for (const { id, name } of demo.networks) {
      if (credential.networks.some((network) => network === name)) {
        await database.insert(schema.credentialNetworks).values({ ...own, network_id: id });
      }
    }
    for (const { name, isLimitedToAddresses } of credential.hosts) {
      const assignment = { ...own, host_id: demoId(`host ${name}`) };
      await database
        .insert(schema.credentialHosts)
        .values({ ...assignment, is_limited_to_addresses: isLimitedToAddresses });
      const address = demoHosts.find((host) => host.name === name)?.addresses[0];
      if (isLimitedToAddresses) {
        await database
          .insert(schema.credentialHostIpAddresses)
          .values({ ...assignment, ip_address_id: demoId(`address ${address}`) });
      }
    }
  }
}
