import { and, eq, ne, sql } from "drizzle-orm";
import { credentialSecrets } from "../../src/database/schema/index.ts";
import { KeyRing } from "../../src/database/sealing.ts";
import { parseSealingKeys } from "../../src/env.ts";
import { demoSealingKeys } from "../demo/sealing-keys.ts";
import { runCommand, UsageError } from "./command.ts";
import { type CommandDatabase, withDatabase } from "./database.ts";

const usage = `Usage:
  SEALING_KEYS=NEW:…,OLD:… npm run reseal

Seals every secret by the first key. Until it is through, all keys must stay in the ring.`;

/** Reseals what another key than the first has sealed. Can be stopped and repeated at any time. */
async function reseal(database: CommandDatabase, ring: KeyRing): Promise<number> {
  const secrets = await database
    .select()
    .from(credentialSecrets)
    .where(ne(sql`split_part(${credentialSecrets.sealed}, '.', 1)`, ring.currentName));
  for (const { credential_id, field, sealed } of secrets) {
    const place = { record: "credential", id: credential_id, field } as const;
    const resealed = await ring.seal(await ring.open(sealed, place), place);
    // Only if nobody has changed the secret since it was read.
    await database
      .update(credentialSecrets)
      .set({ sealed: resealed })
      .where(
        and(
          eq(credentialSecrets.credential_id, credential_id),
          eq(credentialSecrets.field, field),
          eq(credentialSecrets.sealed, sealed),
        ),
      );
  }
  return secrets.length;
}

await runCommand(async () => {
  const keys =
    process.env["SEALING_KEYS"] ??
    (process.env["DATABASE_URL"] === undefined ? demoSealingKeys : undefined);
  if (keys === undefined) {
    throw new UsageError(usage);
  }
  const ring = new KeyRing(parseSealingKeys(keys));
  const count = await withDatabase((database) => reseal(database, ring));
  return `Resealed ${count} secrets by the key ${ring.currentName}.`;
});
