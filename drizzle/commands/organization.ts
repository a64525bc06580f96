import { parseArgs } from "node:util";
import { asc } from "drizzle-orm";
import * as z from "zod";
import { organizations } from "../../src/database/tables/index.ts";
import { name as nameSchema } from "../../src/http/input/text.ts";
import { parseOptions, runCommand, UsageError } from "./command.ts";
import { withDatabase } from "./database.ts";

const usage = `Usage:
  npm run organization -- create "NAME"
  npm run organization -- list`;

await runCommand(async () => {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [verb, name, ...surplus] = positionals;
  if (verb === "create" && surplus.length === 0) {
    const options = parseOptions(z.object({ NAME: nameSchema }), { NAME: name }, usage);
    const [created] = await withDatabase((database) =>
      database
        .insert(organizations)
        .values({ name: options.NAME, onboarding: ["OrgCreated"] })
        .returning({ id: organizations.id }),
    );
    return `Created organization ${created?.id}: ${options.NAME}`;
  }
  if (verb === "list" && name === undefined) {
    const rows = await withDatabase((database) =>
      database
        .select({ id: organizations.id, name: organizations.name })
        .from(organizations)
        .orderBy(asc(organizations.name), asc(organizations.id)),
    );
    return rows.map((row) => `${row.id}  ${row.name}`).join("\n") || "There is none yet.";
  }
  throw new UsageError(usage);
});
