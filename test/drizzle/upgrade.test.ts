import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { type LocalDatabase, startLocalDatabase } from "../../drizzle/local/server.ts";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { makeFolder } from "./helpers/folders.ts";
import { root } from "./helpers/npm.ts";

/** The migrator of a copy of the project as it was when one migration was its last. */
async function migratorUpTo(folder: string, last: string): Promise<typeof migrateDatabase> {
  for (const part of ["drizzle/migrate.ts", "drizzle/commands/command.ts", "drizzle/migrations"]) {
    await cp(join(root, part), join(folder, part), { recursive: true });
  }
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  const path = join(folder, "drizzle/migrations/meta/_journal.json");
  const journal: { entries: { tag: string }[] } = JSON.parse(await readFile(path, "utf8"));
  const end = journal.entries.findIndex(({ tag }) => tag === last) + 1;
  await writeFile(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, end) }));
  const { migrateDatabase } = await import(pathToFileURL(join(folder, "drizzle/migrate.ts")).href);
  return migrateDatabase;
}

const query = (database: LocalDatabase, text: string) =>
  database.withClient(async (client) => (await client.query(text)).rows);

/** The foreign keys, as Postgres defines them. */
const foreignKeys = (database: LocalDatabase) =>
  query(
    database,
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace order by 1, 2`,
  );

it("an upgrade to `records` keeps keys, foreign keys and logins, names no two tags alike, and shortens names", async () => {
  await using folder = await makeFolder("empty");
  await using copy = await makeFolder();
  await mkdir(copy.path);
  const before = await migratorUpTo(copy.path, "0007_protect");
  await using later = await makeFolder();
  await mkdir(later.path);
  const revisions = await migratorUpTo(later.path, "0010_revisions");
  const database = await startLocalDatabase({ dataFolder: folder.postgres });
  try {
    await database.withClient(before);
    await query(
      database,
      `create role worker noinherit;
       grant execute on function app.enter(bytea, role, integer, boolean) to worker;
       insert into organizations (id, name, onboarding) values
         ('00000000-0000-4000-8000-000000000001', 'Old', '{OrgCreated,FirstTagCreated}'),
         ('00000000-0000-4000-8000-000000000002', 'Empty', '{OrgCreated}');
       insert into user_api_keys (organization_id, name, role, key_hash)
         values ('00000000-0000-4000-8000-000000000001', 'Old', 'Owner', sha256('key'));
       insert into networks (organization_id, name)
         values ('00000000-0000-4000-8000-000000000001', ''),
           ('00000000-0000-4000-8000-000000000001', repeat('x', 101));
       insert into daemons (organization_id, network_id, name, url)
         select organization_id, id, repeat('x', 255), 'https://daemon.example' from networks
         where name <> '';
       insert into tags (organization_id, name, created_at) values
         ('00000000-0000-4000-8000-000000000001', 'Lab', '2026-01-01T00:00:00Z'),
         ('00000000-0000-4000-8000-000000000001', 'LAB', '2026-01-02T00:00:00Z'),
         ('00000000-0000-4000-8000-000000000001', 'lab (2)', '2026-01-03T00:00:00Z'),
         ('00000000-0000-4000-8000-000000000002', 'Lab', '2026-01-03T00:00:00Z');
       insert into credentials (organization_id, name, settings)
         values ('00000000-0000-4000-8000-000000000001', 'Old', '{"type": "SnmpV1"}')`,
    );
    const keys = await foreignKeys(database);
    // The next migration refers to live versions of what keeps history.
    await database.withClient(revisions);
    expect(await foreignKeys(database)).toEqual(expect.arrayContaining(keys));
    await database.withClient(migrateDatabase);

    expect(
      await query(database, "select name from tags order by organization_id, created_at"),
    ).toEqual(["Lab", "LAB (3)", "lab (2)", "Lab"].map((name) => ({ name })));
    expect(await query(database, "select name from networks order by name desc")).toEqual([
      { name: "x".repeat(100) },
      { name: "Unnamed" },
    ]);
    expect(await query(database, "select name from daemons")).toEqual([{ name: "x".repeat(100) }]);
    expect(
      await query(database, "select key_role, reach from app.enter(sha256('key'), 'Owner', 8000)"),
    ).toEqual([{ key_role: "Owner", reach: "all" }]);
    expect(
      await query(
        database,
        `select has_function_privilege('worker', 'app.enter(bytea, role, integer, boolean)', 'execute') as may`,
      ),
    ).toEqual([{ may: true }]);
    expect(await query(database, "select onboarding from organizations order by id")).toEqual([
      {
        onboarding: [
          "OrgCreated",
          "FirstTagCreated",
          "FirstUserApiKeyCreated",
          "SecondNetworkCreated",
          "FirstCredentialCreated",
          "FirstSnmpCredentialCreated",
          "FirstDaemonRegistered",
        ],
      },
      { onboarding: ["OrgCreated", "FirstTagCreated"] },
    ]);
  } finally {
    await database.close();
    await folder.remove();
  }
});
