import { and, eq, sql } from "drizzle-orm";
import { type PgColumn, union } from "drizzle-orm/pg-core";
import * as z from "zod";
import { KeyRing, type Place, tokenPlace, webhookSecretPlace } from "../../src/database/sealing.ts";
import {
  credentialSecrets,
  daemonSecrets,
  daemons,
  webhookSecrets,
} from "../../src/database/tables/index.ts";
import { parseSealingKeys } from "../../src/env.ts";
import { demoSealingKeys } from "../demo/sealing-keys.ts";
import { answerHelp, runCommand, UsageError } from "./command.ts";
import { type CommandDatabase, withDatabase } from "./database.ts";

const usage = `Usage:
  SEALING_KEYS=NEW:…,OLD:… npm run reseal

Seals every secret with the first key. All keys must stay in SEALING_KEYS until it has finished.`;

/**
 * Reseals credential secrets that were not sealed with the first key. Can be stopped and run
 * again at any time.
 */
async function reseal(database: CommandDatabase, ring: KeyRing): Promise<number> {
  const secrets = await database.select().from(credentialSecrets);
  let count = 0;
  for (const { organization_id, credential_id, field, sealed } of secrets) {
    const place: Place = { record: "credential", organization_id, id: credential_id, field };
    const resealed = await resealSecret(ring, sealed, place);
    if (resealed === null) {
      continue;
    }
    await database
      .update(credentialSecrets)
      .set({ sealed: resealed })
      .where(
        and(
          eq(credentialSecrets.organization_id, organization_id),
          eq(credentialSecrets.credential_id, credential_id),
          eq(credentialSecrets.field, field),
          // Writes only if the secret has not changed since it was read.
          eq(credentialSecrets.sealed, sealed),
        ),
      );
    count += 1;
  }
  return count + (await resealTokens(database, ring)) + (await resealWebhooks(database, ring));
}

/** Reseals webhook secrets. */
async function resealWebhooks(database: CommandDatabase, ring: KeyRing): Promise<number> {
  const secrets = await database.select().from(webhookSecrets);
  let count = 0;
  for (const { organization_id, webhook_id, is_former, sealed } of secrets) {
    const resealed = await resealSecret(
      ring,
      sealed,
      webhookSecretPlace(organization_id, webhook_id),
    );
    if (resealed === null) {
      continue;
    }
    await database
      .update(webhookSecrets)
      .set({ sealed: resealed })
      .where(
        and(
          eq(webhookSecrets.organization_id, organization_id),
          eq(webhookSecrets.webhook_id, webhook_id),
          eq(webhookSecrets.is_former, is_former),
          eq(webhookSecrets.sealed, sealed),
        ),
      );
    count += 1;
  }
  return count;
}

/** Reseals daemon tokens. */
async function resealTokens(database: CommandDatabase, ring: KeyRing): Promise<number> {
  const tokens = await database
    .select({
      organization_id: daemons.organization_id,
      id: daemons.id,
      url: daemons.url,
      sealed: daemonSecrets.sealed,
    })
    .from(daemonSecrets)
    .innerJoin(
      daemons,
      and(
        eq(daemons.organization_id, daemonSecrets.organization_id),
        eq(daemons.id, daemonSecrets.daemon_id),
      ),
    )
    .where(eq(daemonSecrets.field, "token"));
  let count = 0;
  for (const { organization_id, id, url, sealed } of tokens) {
    const place = tokenPlace(organization_id, id, url);
    const resealed = await resealSecret(ring, sealed, place);
    if (resealed === null) {
      continue;
    }
    await database
      .update(daemonSecrets)
      .set({ sealed: resealed })
      .where(
        and(
          eq(daemonSecrets.organization_id, organization_id),
          eq(daemonSecrets.daemon_id, id),
          eq(daemonSecrets.field, "token"),
          eq(daemonSecrets.sealed, sealed),
        ),
      );
    count += 1;
  }
  return count;
}

/**
 * Seals a secret with the first key. Returns null if it is already sealed with that key.
 * @throws if the secret cannot be opened for its record
 */
async function resealSecret(ring: KeyRing, sealed: string, place: Place): Promise<string | null> {
  const secret = await ring.open(sealed, place).catch(() => {
    throw new Error(
      `The ${place.field} of ${place.record} ${place.id} does not open. Is the key of that name in SEALING_KEYS the right one?`,
    );
  });
  return sealed.startsWith(`${ring.currentName}.`) ? null : ring.seal(secret, place);
}

/**
 * The format that a `KeyRing` writes: the key's name, a dot, and at least a nonce and a tag in
 * base64url.
 */
const sealedForm = "^([A-Za-z0-9_-]{1,32})[.][A-Za-z0-9_-]{38,}=*$";

/**
 * Checks that the ring has every key in use.
 * @throws if a key is missing, or a value is not sealed. Since the value may be plaintext, the
 *   error names only its owner
 */
async function requireKeysInUse(database: CommandDatabase, known: string[]): Promise<void> {
  const used = (sealed: PgColumn, owner: string, id: PgColumn) => {
    const name = sql<string | null>`substring(${sealed} from ${sealedForm})`;
    const unsealed = sql<string>`case when ${name} is null then ${owner}::text || ${id}::text end`;
    return { name, unsealed };
  };
  const { sealed, credential_id } = credentialSecrets;
  const rows = await union(
    database.select(used(sealed, "credential ", credential_id)).from(credentialSecrets),
    database
      .select(used(daemonSecrets.sealed, "daemon ", daemonSecrets.daemon_id))
      .from(daemonSecrets),
    database
      .select(used(webhookSecrets.sealed, "webhook ", webhookSecrets.webhook_id))
      .from(webhookSecrets),
  );
  const unsealed = rows.flatMap((row) => (row.name === null ? [row.unsealed] : []));
  if (unsealed.length > 0) {
    throw new Error(
      `Stored, but not sealed: a secret of ${unsealed.join(", ")}. Replace it first.`,
    );
  }
  const missing = rows.flatMap(({ name }) => (name && !known.includes(name) ? [name] : []));
  if (missing.length > 0) {
    throw new Error(`SEALING_KEYS lacks keys that have sealed secrets: ${missing.join(", ")}.`);
  }
}

function sealingKeysOf(list: string): ReturnType<typeof parseSealingKeys> {
  try {
    return parseSealingKeys(list);
  } catch (error) {
    const problems = error instanceof z.ZodError ? error.issues.map(({ message }) => message) : [];
    throw new UsageError([`SEALING_KEYS: ${problems.join("; ")}`, "", usage].join("\n"));
  }
}

answerHelp(usage);
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
    await requireKeysInUse(
      database,
      keys.map(({ name }) => name),
    );
    return reseal(database, ring);
  });
  return `Resealed ${count} secrets with the key ${ring.currentName}.`;
});
