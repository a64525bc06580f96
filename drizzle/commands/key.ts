import { parseArgs } from "node:util";
import { and, asc, eq, inArray, sql } from "drizzle-orm";
import * as z from "zod";
import { hashApiKey, hintOf, mintApiKey } from "../../src/api-key.ts";
import { organizations, userApiKeys } from "../../src/database/tables/index.ts";
import { id as idSchema } from "../../src/http/input/id.ts";
import { name } from "../../src/http/input/text.ts";
import { uuidV7 } from "../../src/uuid.ts";
import {
  answerHelp,
  parseOptions,
  runCommand,
  shown,
  UsageError,
  whichDatabase,
} from "./command.ts";
import { type CommandDatabase, withDatabase } from "./database.ts";

const usage = `Usage:
  npm run key -- create --organization ID --name NAME [--recovery]
  npm run key -- list --organization ID
  npm run key -- disable --id ID
${whichDatabase}`;

const newKey = z.object({ organization: idSchema, name, recovery: z.boolean().optional() });

/** The columns of a key that are shown to operators. */
const listed = {
  id: userApiKeys.id,
  name: userApiKeys.name,
  role: userApiKeys.role,
  is_enabled: userApiKeys.is_enabled,
  is_limited_to_networks: userApiKeys.is_limited_to_networks,
  expires_at: userApiKeys.expires_at,
  last_used_at: userApiKeys.last_used_at,
  created_at: userApiKeys.created_at,
};

async function requireOrganization(database: CommandDatabase, id: string): Promise<void> {
  const { length } = await database
    .select({ id: organizations.id })
    .from(organizations)
    .where(eq(organizations.id, id));
  if (length === 0) {
    throw new UsageError(`There is no organization with the id ${id}.`);
  }
}

/**
 * Rejects an organization that has an Owner key. This command creates only the first key. All other
 * keys are created with the API, since it enforces roles and limits, and logs requests.
 */
async function requireNoOwnerKey(database: CommandDatabase, organization: string): Promise<void> {
  const { length } = await database
    .select({ id: userApiKeys.id })
    .from(userApiKeys)
    .where(
      and(
        eq(userApiKeys.organization_id, organization),
        eq(userApiKeys.role, "Owner"),
        eq(userApiKeys.is_enabled, true),
        eq(userApiKeys.is_limited_to_networks, false),
        sql`coalesce(${userApiKeys.expires_at} > now(), true)`,
      ),
    );
  if (length > 0) {
    throw new UsageError(
      "The organization has a working Owner key: create others with POST /api/v1/auth/keys. " +
        "If that key is lost, repeat this with --recovery, then delete the lost key with the API.",
    );
  }
}

/** Creates the first key of an organization: an Owner key that can access every network. */
async function create(options: unknown): Promise<string> {
  const { organization, name, recovery = false } = parseOptions(newKey, options, usage);
  const key = mintApiKey();
  const id = uuidV7();
  const key_hash = await hashApiKey(key);
  await withDatabase(async (database) => {
    await requireOrganization(database, organization);
    if (!recovery) {
      await requireNoOwnerKey(database, organization);
    }
    await database.execute(sql`
      select app.add_owner_key(
        ${organization}, ${id}, ${name}, decode(${key_hash}, 'hex'), ${hintOf(key)})`);
  });
  return `Created key ${id} (Owner). It is shown only once and not stored:\n\n  ${key}\n`;
}

async function list(options: unknown): Promise<string> {
  const { organization } = parseOptions(newKey.pick({ organization: true }), options, usage);
  const rows = await withDatabase(async (database) => {
    await requireOrganization(database, organization);
    return database
      .select(listed)
      .from(userApiKeys)
      .where(eq(userApiKeys.organization_id, organization))
      .orderBy(asc(userApiKeys.created_at), asc(userApiKeys.id));
  });
  return JSON.stringify(rows, null, 2);
}

async function disable(options: unknown): Promise<string> {
  const { id } = parseOptions(z.object({ id: idSchema }), options, usage);
  const [disabled] = await withDatabase(async (database) => {
    const matches = await database
      .select({ organization_id: userApiKeys.organization_id })
      .from(userApiKeys)
      .where(eq(userApiKeys.id, id));
    if (matches.length > 1) {
      throw new UsageError(
        `Several organizations have a key with the id ${id}: disable it with PUT /api/v1/auth/keys/${id}.`,
      );
    }
    return database
      .update(userApiKeys)
      .set({ is_enabled: false })
      .where(
        and(
          eq(userApiKeys.id, id),
          inArray(
            userApiKeys.organization_id,
            matches.map(({ organization_id }) => organization_id),
          ),
        ),
      )
      .returning({ name: userApiKeys.name });
  });
  if (!disabled) {
    throw new UsageError(`There is no key with the id ${id}.`);
  }
  return `Disabled key ${id} (${shown(disabled.name)}). It stops working immediately.`;
}

answerHelp(usage);
await runCommand(async () => {
  const string = { type: "string" } as const;
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      organization: string,
      name: string,
      id: string,
      recovery: { type: "boolean" },
      local: { type: "boolean" },
    },
  });
  const verbs: Record<string, (options: unknown) => Promise<string>> = { create, list, disable };
  const verb = verbs[positionals[0] ?? ""];
  if (!verb || positionals.length > 1) {
    throw new UsageError(usage);
  }
  return verb(values);
});
