import { parseArgs } from "node:util";
import { and, asc, eq, inArray, sql } from "drizzle-orm";
import * as z from "zod";
import { hashApiKey, mintApiKey } from "../../src/api-key.ts";
import {
  networks as networksTable,
  organizations,
  userApiKeyNetworks,
  userApiKeys,
} from "../../src/database/tables/index.ts";
import { id as idSchema } from "../../src/http/input/id.ts";
import { idSet } from "../../src/http/input/set.ts";
import { name } from "../../src/http/input/text.ts";
import { timestamp } from "../../src/http/input/timestamp.ts";
import { roles } from "../../src/roles.ts";
import { parseOptions, runCommand, UsageError } from "./command.ts";
import { type CommandDatabase, withDatabase } from "./database.ts";

const usage = `Usage:
  npm run key -- create --organization ID --name NAME --role ${roles.join("|")} [--expires INSTANT] [--networks ID,ID]
  npm run key -- list --organization ID
  npm run key -- disable --id ID`;

const newKey = z.object({
  organization: idSchema,
  name,
  role: z.enum(roles),
  expires: timestamp.optional(),
  networks: z
    .string()
    .transform((list) => list.split(","))
    .pipe(idSet)
    .optional(),
});

/** Everything about a key but its hash. */
const shown = {
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

async function requireNetworks(
  database: CommandDatabase,
  organization: string,
  ids: string[],
): Promise<void> {
  const known = await database
    .select({ id: networksTable.id })
    .from(networksTable)
    .where(and(eq(networksTable.organization_id, organization), inArray(networksTable.id, ids)));
  const unknown = ids.filter((id) => !known.some((network) => network.id === id));
  if (unknown.length > 0) {
    throw new UsageError(`The organization has no network with the id ${unknown.join(", ")}.`);
  }
}

async function create(options: unknown): Promise<string> {
  const { organization, name, role, expires, networks } = parseOptions(newKey, options, usage);
  const key = mintApiKey();
  const id = crypto.randomUUID();
  const key_hash = await hashApiKey(key);
  await withDatabase(async (database) => {
    await requireOrganization(database, organization);
    await requireNetworks(database, organization, networks ?? []);
    const created = database.$with("created").as(
      database
        .insert(userApiKeys)
        .values({
          id,
          organization_id: organization,
          name,
          role,
          key_hash,
          expires_at: expires ?? null,
          is_limited_to_networks: networks !== undefined,
        })
        .returning(),
    );
    // One statement: a key must never exist without its limits.
    await database
      .with(created)
      .insert(userApiKeyNetworks)
      .select((query) =>
        query
          .select({
            organization_id: created.organization_id,
            api_key_id: created.id,
            network_id: sql<string>`unnest(${sql.param(networks ?? [])}::uuid[])`.as("network_id"),
          })
          .from(created),
      );
  });
  return `Created key ${id} (${role}). It is shown this once and stored nowhere:\n\n  ${key}\n`;
}

async function list(options: unknown): Promise<string> {
  const { organization } = parseOptions(newKey.pick({ organization: true }), options, usage);
  const rows = await withDatabase(async (database) => {
    await requireOrganization(database, organization);
    return database
      .select(shown)
      .from(userApiKeys)
      .where(eq(userApiKeys.organization_id, organization))
      .orderBy(asc(userApiKeys.created_at), asc(userApiKeys.id));
  });
  return JSON.stringify(rows, null, 2);
}

async function disable(options: unknown): Promise<string> {
  const { id } = parseOptions(z.object({ id: idSchema }), options, usage);
  const [disabled] = await withDatabase((database) =>
    database
      .update(userApiKeys)
      .set({ is_enabled: false })
      .where(eq(userApiKeys.id, id))
      .returning({ name: userApiKeys.name }),
  );
  if (!disabled) {
    throw new UsageError(`There is no key with the id ${id}.`);
  }
  return `Disabled key ${id} (${disabled.name}). It stops with the next request.`;
}

await runCommand(async () => {
  const string = { type: "string" } as const;
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      organization: string,
      name: string,
      role: string,
      expires: string,
      networks: string,
      id: string,
    },
  });
  const verbs: Record<string, (options: unknown) => Promise<string>> = { create, list, disable };
  const verb = verbs[positionals[0] ?? ""];
  if (!verb || positionals.length > 1) {
    throw new UsageError(usage);
  }
  return verb(values);
});
