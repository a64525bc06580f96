import { parseArgs } from "node:util";
import { sql } from "drizzle-orm";
import * as z from "zod";
import { hashApiKey, hintOf, mintOperatorKey } from "../../src/api-key.ts";
import { id as idSchema } from "../../src/http/input/id.ts";
import { name } from "../../src/http/input/text.ts";
import { timestamp } from "../../src/http/input/timestamp.ts";
import { uuidV7 } from "../../src/uuid.ts";
import {
  answerHelp,
  parseOptions,
  runCommand,
  shown,
  UsageError,
  whichDatabase,
} from "./command.ts";
import { withDatabase } from "./database.ts";

const usage = `Usage:
  npm run operator-key -- create --name NAME [--expires-at INSTANT]
  npm run operator-key -- list
  npm run operator-key -- revoke --id ID
${whichDatabase}`;

/** Maximum number of operator keys that are neither revoked nor expired. */
const maximumKeys = 100;

const newKey = z.strictObject({
  name,
  "expires-at": timestamp
    .refine((instant) => Date.parse(instant) > Date.now(), { error: "must be in the future" })
    .optional(),
});

/** The result of a statement, which the drivers return in their own types. */
const result = z.object({ rows: z.array(z.record(z.string(), z.unknown())) });

/** Creates an operator key, which manages organizations with the API. */
async function create(options: unknown): Promise<string> {
  const { name, "expires-at": expires_at = null } = parseOptions(newKey, options, usage);
  const key = mintOperatorKey();
  const id = uuidV7();
  const hash = await hashApiKey(key);
  await withDatabase(async (database) => {
    const statement = sql`
      insert into app.operator_keys (id, name, key_hash, key_hint, expires_at)
      select ${id}, ${name}, decode(${hash}, 'hex'), ${hintOf(key)}, ${expires_at}::timestamptz
      where (
        select count(*) from app.operator_keys
        where revoked_at is null and (expires_at is null or expires_at > now())) < ${maximumKeys}
      returning id`;
    const { rows } = result.parse(await database.execute(statement));
    if (rows.length === 0) {
      throw new UsageError(`There are ${maximumKeys} valid operator keys: revoke one first.`);
    }
  });
  return `Created operator key ${id}. It is shown only once and not stored:\n\n  ${key}\n`;
}

/** Lists all operator keys, including revoked and expired ones, in order of creation. */
async function list(options: unknown): Promise<string> {
  parseOptions(z.strictObject({}), options, usage);
  const rows = await withDatabase(async (database) => {
    const statement = sql`
      select id, name, key_hint, expires_at, revoked_at, last_used_at, created_at
      from app.operator_keys order by created_at, id`;
    return result.parse(await database.execute(statement)).rows;
  });
  return JSON.stringify(rows, null, 2);
}

/** Revokes an operator key for good. Its row is kept, since audit logs refer to it. */
async function revoke(options: unknown): Promise<string> {
  const { id } = parseOptions(z.strictObject({ id: idSchema }), options, usage);
  const name = await withDatabase(async (database) => {
    const statement = sql`
      update app.operator_keys set revoked_at = coalesce(revoked_at, now()) where id = ${id}
      returning name`;
    return result.parse(await database.execute(statement)).rows[0]?.["name"];
  });
  if (name === undefined) {
    throw new UsageError(`There is no operator key with the id ${id}.`);
  }
  return `Revoked operator key ${id} (${shown(String(name))}). It stops working immediately.`;
}

answerHelp(usage);
await runCommand(async () => {
  const string = { type: "string" } as const;
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { name: string, id: string, "expires-at": string, local: { type: "boolean" } },
  });
  const verbs: Record<string, (options: unknown) => Promise<string>> = { create, list, revoke };
  const verb = verbs[positionals[0] ?? ""];
  if (!verb || positionals.length > 1) {
    throw new UsageError(usage);
  }
  const { local: _, ...options } = values;
  return verb(options);
});
