import { and, eq, ne, sql } from "drizzle-orm";
import { type PgColumn, union } from "drizzle-orm/pg-core";
import * as z from "zod";
import { credentialSecrets, daemonSecrets, daemons } from "../../src/database/schema/index.ts";
import { KeyRing, type Place, tokenPlace } from "../../src/database/sealing.ts";
import { parseSealingKeys } from "../../src/env.ts";
import { demoSealingKeys } from "../demo/sealing-keys.ts";
import { runCommand, UsageError } from "./command.ts";
import { type CommandDatabase, withDatabase } from "./database.ts";

const usage = `Usage:
  SEALING_KEYS=NEW:…,OLD:… npm run reseal

Seals every secret by the first key. Until it is through, all keys must stay in the ring.`;

/** Reseals what the first key has not sealed, or not for its place. Can be stopped and repeated at any time. */
async function reseal(database: CommandDatabase, ring: KeyRing): Promise<number> {
  const isStale = (sealed: PgColumn) => ne(sql`split_part(${sealed}, '.', 1)`, ring.currentName);
  const secrets = await database
    .select()
    .from(credentialSecrets)
    .where(isStale(credentialSecrets.sealed));
  for (const { organization_id, credential_id, field, sealed } of secrets) {
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
          eq(credentialSecrets.organization_id, organization_id),
          eq(credentialSecrets.credential_id, credential_id),
          eq(credentialSecrets.field, field),
          // Only if nobody has changed the secret since it was read.
          eq(credentialSecrets.sealed, sealed),
        ),
      );
  }
  return secrets.length + (await resealTokens(database, ring));
}

/**
 * Reseals the tokens of daemons: also those that the first key sealed before tokens were bound to
 * where they are sent, which only an attempt to open them tells.
 */
async function resealTokens(database: CommandDatabase, ring: KeyRing): Promise<number> {
  const tokens = await database
    .select({ id: daemons.id, url: daemons.url, sealed: daemonSecrets.sealed })
    .from(daemonSecrets)
    .innerJoin(daemons, eq(daemons.id, daemonSecrets.daemon_id))
    .where(eq(daemonSecrets.field, "token"));
  let count = 0;
  for (const { id, url, sealed } of tokens) {
    const place = tokenPlace(id, url);
    const isBound = await ring.open(sealed, place).then(
      () => true,
      () => false,
    );
    if (isBound && sealed.startsWith(`${ring.currentName}.`)) {
      continue;
    }
    const resealed = await sealAnew(ring, sealed, isBound ? place : unboundPlace(id), place);
    await database
      .update(daemonSecrets)
      .set({ sealed: resealed })
      .where(
        and(
          eq(daemonSecrets.daemon_id, id),
          eq(daemonSecrets.field, "token"),
          eq(daemonSecrets.sealed, sealed),
        ),
      );
    count += 1;
  }
  return count;
}

/** The place of a token that was sealed before tokens were bound to where they are sent. */
const unboundPlace = (id: string): Place => ({
  record: "daemon",
  id,
  field: "token",
  origin: null,
});

async function sealAnew(
  ring: KeyRing,
  sealed: string,
  place: Place,
  newPlace = place,
): Promise<string> {
  const secret = await ring.open(sealed, place).catch(() => {
    throw new Error(
      `The ${place.field} of ${place.record} ${place.id} does not open. Is the key of that name in SEALING_KEYS the right one?`,
    );
  });
  return ring.seal(secret, newPlace);
}

/** The names of the keys that have sealed something. */
async function keysInUse(database: CommandDatabase): Promise<string[]> {
  const keyName = (sealed: PgColumn) => ({ name: sql<string>`split_part(${sealed}, '.', 1)` });
  const names = await union(
    database.select(keyName(credentialSecrets.sealed)).from(credentialSecrets),
    database.select(keyName(daemonSecrets.sealed)).from(daemonSecrets),
  );
  return names.map(({ name }) => name);
}

function sealingKeysOf(list: string): ReturnType<typeof parseSealingKeys> {
  try {
    return parseSealingKeys(list);
  } catch (error) {
    const problems = error instanceof z.ZodError ? error.issues.map(({ message }) => message) : [];
    throw new UsageError([`SEALING_KEYS: ${problems.join("; ")}`, "", usage].join("\n"));
  }
}

await runCommand(async () => {
  const list =
    process.env["SEALING_KEYS"] ??
    (process.env["DATABASE_URL"] === undefined ? demoSealingKeys : undefined);
  if (list === undefined) {
    throw new UsageError(`SEALING_KEYS is required with DATABASE_URL.\n\n${usage}`);
  }
  const keys = sealingKeysOf(list);
  const ring = new KeyRing(keys);
  const count = await withDatabase(async (database) => {
    const used = await keysInUse(database);
    const missing = used.filter((name) => !keys.some((key) => key.name === name));
    if (missing.length > 0) {
      throw new Error(`SEALING_KEYS lacks keys that have sealed secrets: ${missing.join(", ")}.`);
    }
    return reseal(database, ring);
  });
  return `Resealed ${count} secrets by the key ${ring.currentName}.`;
});
