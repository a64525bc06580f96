import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { basename } from "node:path";
import type pg from "pg";
import { storedStatements } from "../src/stored-statements.ts";
import { generatedFunctions, generatedRules } from "./generate/index.ts";
import { storedFunction } from "./generate/stored.ts";

type Client = pg.PoolClient | pg.Client;

/**
 * The roles to which files grant rights. Applying a file revokes every right that the file does not
 * grant.
 */
const roles = "inventory_api, inventory_poller, inventory_ingest";

/** SQL that creates one function, or the rules of one table. */
export interface SqlText {
  /**
   * The path of the file, relative to `drizzle/`, such as `functions/gate/enter.sql`, or a name
   * such as `generated/missing.sql` if there is no file.
   */
  path: string;
  /** The name of the function or table. */
  name: string;
  /** The table of a generated function. */
  table?: string | undefined;
  text: string;
  /** SHA-256 of the SQL, in hex. */
  hash: string;
}

/**
 * Creates the functions from `functions/` and from `generate/`, in the caller's transaction. Skips
 * SQL that has already been applied.
 * @param hasMigrated true if tables may have changed, and with them the columns of stored statements
 * @returns the number of applied functions
 */
export async function applyFunctions(client: Client, hasMigrated: boolean): Promise<number> {
  const texts = await functionTexts();
  const changed = await unapplied(client, texts);
  await retireStored(client, texts, changed);
  if (hasMigrated) {
    changed.push(...texts.filter((text) => isStored(text) && !changed.includes(text)));
  }
  const { rows } = await client.query<{ name: string; signature: string }>(
    `select proname as name, oid::regprocedure::text as signature from pg_proc
     where pronamespace = 'app'::regnamespace`,
  );
  // A function body may reference a function that another file creates.
  await client.query("set local check_function_bodies = off");
  // A function's new owner needs this right while the owner is being changed.
  await client.query("grant create on schema app to inventory_ingest");
  let waiting = changed;
  while (waiting.length > 0) {
    const failed: { file: SqlText; error: unknown }[] = [];
    for (const file of waiting) {
      const resets = rows
        .filter(({ name }) => name === file.name)
        .map(
          ({ signature }) => `alter routine ${signature} owner to current_user;
            revoke all on routine ${signature} from public, ${roles};`,
        );
      await client.query("savepoint file");
      try {
        await client.query(`${resets.join("\n")}\n${file.text}`);
      } catch (error) {
        // A body in standard SQL syntax is bound to the functions that it calls, which must already
        // exist.
        await client.query("rollback to savepoint file");
        failed.push({ file, error });
      }
      await client.query("release savepoint file");
    }
    if (failed.length === waiting.length) {
      const [first] = failed;
      throw new Error(`${first?.file.path} cannot be applied.`, { cause: first?.error });
    }
    waiting = failed.map(({ file }) => file);
  }
  await client.query("revoke create on schema app from inventory_ingest");
  await remember(client, changed);
  return changed.length;
}

const isStored = ({ path }: Pick<SqlText, "path">) => path.startsWith("stored/");

/**
 * When stored statements change, keeps the functions that the previous version calls, for Workers
 * that are still running, and drops those of earlier versions. `app.applied_files` marks the
 * functions that this version does not call.
 */
async function retireStored(
  client: Client,
  texts: readonly SqlText[],
  changed: readonly SqlText[],
): Promise<void> {
  if (!changed.some(isStored)) {
    return;
  }
  const called = texts.filter(isStored).map(({ path }) => path);
  const { rows } = await client.query<{ path: string }>(
    `delete from app.applied_files
     where path like 'stored/%' and path <> all ($1) and hash = 'retired' returning path`,
    [called],
  );
  for (const { path } of rows) {
    await client.query(`drop function if exists app.${basename(path, ".sql")}`);
  }
  await client.query(
    `update app.applied_files set hash = 'retired'
     where path like 'stored/%' and path <> all ($1)`,
    [called],
  );
}

/**
 * Creates the policies, rights and triggers of tables, in the caller's transaction. Skips tables
 * whose SQL has already been applied, since applying it locks the table.
 * @returns the number of changed tables
 */
export async function applyRules(client: Client): Promise<number> {
  const changed = await unapplied(client, await ruleTexts());
  for (const file of changed) {
    const { rows } = await client.query<{ statement: string }>(
      `with ruled as (
         select oid, oid::regclass as name from pg_class
         where relname = $1 and relkind = 'r' and relnamespace in ('public'::regnamespace, 'app'::regnamespace))
       select format('drop policy %I on %s', polname, ruled.name) as statement
       from pg_policy join ruled on ruled.oid = polrelid
       union all
       select format('drop trigger %I on %s', tgname, ruled.name)
       from pg_trigger join ruled on ruled.oid = tgrelid where not tgisinternal
       union all
       select format('revoke all on %s from ${roles}', name) from ruled`,
      [file.name],
    );
    const resets = rows.map(({ statement }) => `${statement};`);
    try {
      await client.query(`${resets.join("\n")}\n${file.text}`);
    } catch (error) {
      throw new Error(`${file.path} cannot be applied.`, { cause: error });
    }
  }
  await remember(client, changed);
  return changed.length;
}

/** Returns the SQL texts whose hashes differ from the applied ones. */
async function unapplied(client: Client, texts: readonly SqlText[]): Promise<SqlText[]> {
  const { rows } = await client.query<{ path: string; hash: string }>(
    "select path, hash from app.applied_files",
  );
  const applied = new Map(rows.map(({ path, hash }) => [path, hash]));
  return texts.filter(({ path, hash }) => applied.get(path) !== hash);
}

/** All functions: handwritten, generated, and those of stored statements. */
export const functionTexts = async (): Promise<SqlText[]> => [
  ...(await readFiles("functions")),
  ...generatedFunctions.map(({ name, table, text }) => ({
    ...hashed(`generated/${name}.sql`, name, text),
    table,
  })),
  ...storedStatements().map((statement) => ({
    ...hashed(`stored/${statement.name}.sql`, statement.name, storedFunction(statement)),
    table: statement.table,
  })),
];

/**
 * The rules of tables. One hash covers both the handwritten and the generated part, so that the
 * rules are applied again after a column is added.
 */
export const ruleTexts = async (): Promise<SqlText[]> => {
  const files = await readFiles("rules");
  return files.map(({ path, name, text }) => {
    const generated = generatedRules(name);
    return hashed(path, name, generated === "" ? text : `${text}\n${generated}`);
  });
};

const hashed = (path: string, name: string, text: string): SqlText => ({
  path,
  name,
  text,
  hash: createHash("sha256").update(text).digest("hex"),
});

async function readFiles(folder: string): Promise<SqlText[]> {
  const files = await readdir(new URL(folder, import.meta.url), { recursive: true });
  const paths = files.filter((path) => path.endsWith(".sql")).toSorted();
  return await Promise.all(
    paths.map(async (path) =>
      hashed(
        `${folder}/${path}`,
        basename(path, ".sql"),
        await readFile(new URL(`${folder}/${path}`, import.meta.url), "utf8"),
      ),
    ),
  );
}

async function remember(client: Client, files: readonly SqlText[]): Promise<void> {
  await client.query(
    `insert into app.applied_files (path, hash)
     select * from unnest($1::text[], $2::text[])
     on conflict (path) do update set hash = excluded.hash`,
    [files.map(({ path }) => path), files.map(({ hash }) => hash)],
  );
}
