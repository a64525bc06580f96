import { and, eq } from "drizzle-orm";
import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import { mintDaemonKey } from "../../src/daemons/daemon-key.ts";
import { KeyRing, tokenPlace } from "../../src/database/sealing.ts";
import * as schema from "../../src/database/tables/index.ts";
import { parseSealingKeys } from "../../src/env.ts";
import demo from "../demo.json" with { type: "json" };
import { type DaemonConfigurations, writeDaemonConfigurations } from "./daemon-configurations.ts";
import type { DemoDaemon } from "./daemons.ts";
import { demoSealingKeys } from "./sealing-keys.ts";
import { seedPastOfDaemon } from "./seed-daemons.ts";

const organization_id = demo.organization.id;

/**
 * Provisions each demo daemon that has no key for its port, and stores the key in the data folder.
 * A key is bound to its port: a daemon whose port had to change gets a new key but keeps everything
 * else. A daemon that was never provisioned is created with its history; a deleted one is not
 * created again. Must finish before the service is ready, so that no request uses a daemon that is
 * about to change.
 * @param options.configurations the configurations of earlier starts, from the data folder;
 *   modified in place
 */
export async function provisionDemoDaemons(
  database: NodePgDatabase,
  options: {
    folder: string;
    daemons: readonly DemoDaemon[];
    configurations: DaemonConfigurations;
  },
): Promise<void> {
  const { folder, daemons, configurations } = options;
  const ring = new KeyRing(parseSealingKeys(demoSealingKeys));
  for (const daemon of daemons.filter(({ key }) => key === null)) {
    const { id, name, network_id, port } = daemon;
    const own = and(eq(schema.daemons.organization_id, organization_id), eq(schema.daemons.id, id));
    const [known] = await database
      .select({ id: schema.daemons.id })
      .from(schema.daemons)
      .where(own);
    if (!known && configurations.has(name)) {
      continue;
    }
    const key = mintDaemonKey();
    const url = `http://127.0.0.1:${port}/`;
    const sealed = await ring.seal(key, tokenPlace(organization_id, id, url));
    await database.transaction(async (transaction) => {
      if (known) {
        await transaction.update(schema.daemons).set({ url }).where(own);
      } else {
        await transaction
          .insert(schema.daemons)
          .values({ organization_id, id, network_id, name, url, receives_credentials: true });
        await seedPastOfDaemon(transaction, id);
      }
      await transaction
        .insert(schema.daemonSecrets)
        .values({ organization_id, daemon_id: id, field: "token", sealed })
        .onConflictDoUpdate({
          target: [
            schema.daemonSecrets.organization_id,
            schema.daemonSecrets.daemon_id,
            schema.daemonSecrets.field,
          ],
          set: { sealed },
        });
    });
    daemon.key = key;
    configurations.set(name, { port, key });
    // If the process is killed before this, the next start creates a new key.
    await writeDaemonConfigurations(folder, configurations);
  }
}
