import { stdin, stdout } from "node:process";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { and, asc, eq, sql } from "drizzle-orm";
import * as z from "zod";
import { organizations } from "../../src/database/tables/index.ts";
import { id as idSchema } from "../../src/http/input/id.ts";
import { name as nameSchema } from "../../src/http/input/text.ts";
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
import { exportOrganization } from "./export-organization.ts";

const usage = `Usage:
  npm run organization -- create "NAME"
  npm run organization -- list
  npm run --silent organization -- export ID > FILE
  npm run organization -- delete ID
${whichDatabase}`;

const idOf = (ID: string | undefined) => parseOptions(z.object({ ID: idSchema }), { ID }, usage).ID;

async function nameOf(database: CommandDatabase, id: string): Promise<string> {
  const [organization] = await database
    .select({ name: organizations.name })
    .from(organizations)
    .where(eq(organizations.id, id));
  if (!organization) {
    throw new UsageError(`There is no organization with the id ${id}.`);
  }
  return organization.name;
}

async function create(argument: string | undefined): Promise<string> {
  const { NAME: name } = parseOptions(z.object({ NAME: nameSchema }), { NAME: argument }, usage);
  const id = uuidV7();
  await withDatabase((database) =>
    database.execute(sql`select app.add_organization(${id}, ${name}, null)`),
  );
  return `Created organization ${id}: ${shown(name)}`;
}

async function list(argument: string | undefined): Promise<string> {
  if (argument !== undefined) {
    throw new UsageError(usage);
  }
  const rows = await withDatabase((database) =>
    database
      .select({ id: organizations.id, name: organizations.name })
      .from(organizations)
      .orderBy(asc(organizations.name), asc(organizations.id)),
  );
  return (
    rows.map((row) => `${row.id}  ${shown(row.name)}`).join("\n") || "There are no organizations."
  );
}

/** Reads a line from the terminal or a pipe; empty if there is none. */
async function typed(question: string): Promise<string> {
  console.error(question);
  const lines = createInterface({ input: stdin });
  for await (const line of lines) {
    lines.close();
    return line.trim();
  }
  return "";
}

/** Maximum number of rows that are deleted in one transaction. */
const batchSize = 10_000;

/**
 * Deletes the rows of an organization whose grace has ended, in batches. If this is interrupted, the
 * job `organization_sweep` deletes the rest.
 */
async function deleteEnded(database: CommandDatabase, id: string): Promise<void> {
  for (;;) {
    const [batch] = await database
      .select({ deleted: sql<number>`deleted` })
      .from(sql`app.delete_organization_rows(${id}, ${batchSize}) as deleted`);
    if ((batch?.deleted ?? 0) < batchSize) {
      return;
    }
  }
}

/**
 * Deletes an organization and all its data, including history, without grace, once its name has been
 * typed.
 */
async function remove(argument: string | undefined): Promise<string> {
  const id = idOf(argument);
  return withDatabase(async (database) => {
    const name = await nameOf(database, id);
    const answer = await typed(
      `This deletes ${shown(name)} with all of its records, keys and history. This cannot be undone.\nType the name of the organization to continue:`,
    );
    const ended =
      answer === shown(name)
        ? await database
            .update(organizations)
            .set({ suspended_at: sql`now()`, deletes_at: sql`now()` })
            // Fails if the organization has been renamed in the meantime.
            .where(and(eq(organizations.id, id), eq(organizations.name, name)))
            .returning({ id: organizations.id })
        : [];
    if (ended.length === 0) {
      throw new UsageError("The name does not match: nothing was deleted.");
    }
    await deleteEnded(database, id);
    return `Deleted organization ${id}: ${shown(name)}`;
  });
}

/** Prints an organization, without secrets, as one JSON document. */
async function print(argument: string | undefined): Promise<string> {
  const id = idOf(argument);
  return withDatabase(async (database) => {
    await nameOf(database, id);
    return exportOrganization(database, id, (text) => stdout.write(text));
  });
}

answerHelp(usage);
await runCommand(async () => {
  const { positionals } = parseArgs({
    allowPositionals: true,
    options: { local: { type: "boolean" } },
  });
  const [verb = "", argument, ...surplus] = positionals;
  const verbs: Record<string, (argument: string | undefined) => Promise<string>> = {
    create,
    list,
    export: print,
    delete: remove,
  };
  const run = verbs[verb];
  if (!run || surplus.length > 0) {
    throw new UsageError(usage);
  }
  return run(argument);
});
