import { and, eq, ne, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { credentialSecrets, daemons } from "../../src/database/schema/index.ts";
import { KeyRing, type Place } from "../../src/database/sealing.ts";
import { parseSealingKeys } from "../../src/env.ts";
import { demoSealingKeys } from "../demo/sealing-keys.ts";
import { runCommand, UsageError } from "./command.ts";
import { type CommandDatabase, withDatabase } from "./database.ts";

const usage = `Usage:
  SEALING_KEYS=NEW:…,OLD:… npm run reseal

Seals every secret by the first key. Until it is through, all keys must stay in the ring.`;

/** Reseals what another key than the first has sealed. Can be stopped and repeated at any time. */
async function reseal(database: CommandDatabase, ring: KeyRing): Promise<number> {
  const isStale = (sealed: PgColumn) => ne(sql`split_part(${sealed}, '.', 1)`, ring.currentName);
  const secrets = await database
    .select()
    .from(credentialSecrets)
    .where(isStale(credentialSecrets.sealed));
  for (const { credential_id, field, sealed } of secrets) {
    const resealed = await sealAnew(ring, sealed, {
      record: "credential",
      id: credential_id,
      field,
    });
    await database
      .update(credentialSecrets)
      .set({ sealed: resealed })
      .where(
        and(
          eq(credentialSecrets.credential_id, credential_id),
          eq(credentialSecrets.field, field),
          // Only if nobody has changed the secret since it was read.
          eq(credentialSecrets.sealed, sealed),
        ),
      );
  }
  const tokens = await database
    .select({ id: daemons.id, sealed: daemons.sealed_token })
    .from(daemons)
    .where(isStale(daemons.sealed_token));
  for (const { id, sealed } of tokens) {
    const sealed_token = await sealAnew(ring, sealed, { record: "daemon", id, field: "token" });
    await database
      .update(daemons)
      .set({ sealed_token })
      .where(and(eq(daemons.id, id), eq(daemons.sealed_token, sealed)));
  }
  return secrets.length + tokens.length;
}

const sealAnew = async (ring: KeyRing, sealed: string, place: Place) =>
  ring.seal(await ring.open(sealed, place), place);

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
