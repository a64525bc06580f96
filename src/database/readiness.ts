import { sql } from "drizzle-orm";
import * as z from "zod";
import journal from "../../drizzle/migrations/meta/_journal.json" with { type: "json" };
import type { Settings } from "../env.ts";
import { connect } from "./connection.ts";
import { DatabaseFailure } from "./database-failure.ts";
import { serviceUnavailable, translateFailure } from "./failure.ts";
import { timeoutsOf } from "./locks.ts";
import { keyRingOf, type Place } from "./sealing.ts";

/** Maximum time for the readiness query, in milliseconds. */
const maximumDeadlineMs = 2000;

/**
 * This version's newest migration, identified by its time in the journal, which the migrator
 * records.
 */
export const newestMigration = Math.max(...journal.entries.map(({ when }) => when));

/** The result of `app.readiness`, and whether all functions of stored statements exist. */
const stateSchema = z.object({
  has_functions: z.boolean(),
  newest_migration: z.number(),
  /** One credential secret for each sealing key in use. */
  credential_secrets: z.array(
    z.object({ organization_id: z.guid(), id: z.guid(), field: z.string(), sealed: z.string() }),
  ),
  /** The names of the sealing keys that seal daemon tokens. */
  token_keys: z.array(z.string()),
});
type State = z.output<typeof stateSchema>;

/**
 * Checks that the service can serve requests: the database responds in time, its schema belongs to
 * this version or to a later one, and the sealing keys open the stored secrets. It makes one call.
 * @param functions the functions of this version's stored statements
 * @throws {ApiError} 503; the reason is in the {@link DatabaseFailure} that caused it
 */
export async function readiness(settings: Settings, functions: readonly string[]): Promise<void> {
  const state = await readState(settings, functions);
  const { newest_migration, has_functions, credential_secrets, token_keys } = state;
  // A later schema is accepted: a deployment migrates first, while the previous version still
  // serves requests.
  if (newest_migration < newestMigration || !has_functions) {
    throw serviceUnavailable(new DatabaseFailure("schema"));
  }
  // A single token that cannot be opened affects one daemon only, so the tokens themselves are not
  // opened.
  for (const name of token_keys) {
    requireKey(settings, name);
  }
  await Promise.all(credential_secrets.map((secret) => open(settings, secret)));
}

async function readState(settings: Settings, functions: readonly string[]): Promise<State> {
  const deadlineMs = Math.min(maximumDeadlineMs, settings.DATABASE_DEADLINE_MS);
  const timeouts = timeoutsOf(deadlineMs);
  const database = connect(settings, AbortSignal.timeout(deadlineMs));
  try {
    const [, { rows }] = await database.batch([
      database.execute(sql`
        select set_config('lock_timeout', ${String(timeouts.lock)}, true),
          set_config('statement_timeout', ${String(timeouts.statement)}, true)`),
      database.execute(sql`
        select app.readiness() || jsonb_build_object('has_functions', not exists (
          select from unnest(${sql.param(functions)}::text[]) as name
          where to_regproc('app.' || name) is null)) as state`),
    ]);
    return stateSchema.parse(rows[0]?.["state"]);
  } catch (error) {
    const failure =
      error instanceof z.ZodError ? new DatabaseFailure("schema") : translateFailure(error);
    // Any other Postgres error here means that the function does not exist or that the login does
    // not have the right to call it.
    throw failure instanceof DatabaseFailure
      ? serviceUnavailable(new DatabaseFailure("schema", failure.sqlstate))
      : failure;
  }
}

function requireKey({ SEALING_KEYS }: Settings, keyName: string): void {
  if (!SEALING_KEYS.some(({ name }) => name === keyName)) {
    throw serviceUnavailable(new DatabaseFailure("sealing_key_missing"));
  }
}

async function open(
  settings: Settings,
  { organization_id, id, field, sealed }: State["credential_secrets"][number],
): Promise<void> {
  requireKey(settings, sealed.split(".")[0] ?? "");
  try {
    const place: Place = { record: "credential", organization_id, id, field };
    await keyRingOf(settings).open(sealed, place);
  } catch {
    throw serviceUnavailable(new DatabaseFailure("sealing_key_wrong"));
  }
}
