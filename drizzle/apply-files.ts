import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { basename } from "node:path";
import type pg from "pg";

type Client = pg.PoolClient | pg.Client;

/** The roles that files grant rights to. What a file no longer grants is gone once it has been applied. */
const roles = "inventory_api, inventory_poller, inventory_ingest";

/** A file whose text is the current state of what it is named for. */
interface SqlFile {
  /** From `drizzle/`, such as `functions/gate/enter.sql`. */
  path: string;
  /** The function or table that it is named for. */
  name: string;
  text: string;
  /** SHA-256 of the text, in hex. */
  hash: string;
}

/**
 * Makes the functions of `functions/` what their files say, in the caller's transaction: only those whose files
 * have changed since they were last applied.
 * @returns how many those are
 */
export async function applyFunctions(client: Client): Promise<number> {
  const changed = await changedFiles(client, "functions");
  const { rows } = await client.query<{ name: string; signature: string }>(
    `select proname as name, oid::regprocedure::text as signature from pg_proc
     where pronamespace = 'app'::regnamespace`,
  );
  // Bodies may name what another file makes.
  await client.query("set local check_function_bodies = off");
  let waiting = changed;
  while (waiting.length > 0) {
    const failed: { file: SqlFile; error: unknown }[] = [];
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
        // A body of standard SQL is bound to the functions that it calls, which must be there.
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
  await remember(client, changed);
  return changed.length;
}

/**
 * Makes policies, rights and triggers of tables what the files of `rules/` say, in the caller's transaction: only
 * those of tables whose files have changed since they were last applied, as this locks the table.
 * @returns how many those are
 */
export async function applyRules(client: Client): Promise<number> {
  const changed = await changedFiles(client, "rules");
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

/** The files of a folder that are not as they were applied last, in the order of their paths. */
async function changedFiles(client: Client, folder: string): Promise<SqlFile[]> {
  const { rows } = await client.query<{ path: string; hash: string }>(
    "select path, hash from app.applied_files",
  );
  const applied = new Map(rows.map(({ path, hash }) => [path, hash]));
  const files = await readFiles(folder);
  return files.filter(({ path, hash }) => applied.get(path) !== hash);
}

async function readFiles(folder: string): Promise<SqlFile[]> {
  const found = await readdir(new URL(folder, import.meta.url), { recursive: true });
  const paths = found.filter((path) => path.endsWith(".sql")).toSorted();
  return await Promise.all(
    paths.map(async (path) => {
      const text = await readFile(new URL(`${folder}/${path}`, import.meta.url), "utf8");
      const hash = createHash("sha256").update(text).digest("hex");
      return { path: `${folder}/${path}`, name: basename(path, ".sql"), text, hash };
    }),
  );
}

async function remember(client: Client, files: readonly SqlFile[]): Promise<void> {
  await client.query(
    `insert into app.applied_files (path, hash)
     select * from unnest($1::text[], $2::text[])
     on conflict (path) do update set hash = excluded.hash`,
    [files.map(({ path }) => path), files.map(({ hash }) => hash)],
  );
}
