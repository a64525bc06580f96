import { neon, neonConfig } from "@neondatabase/serverless";
import { seedDemo } from "../../../drizzle/demo/seed.ts";
import { announceRunning } from "../../../drizzle/local/running.ts";
import { startLocalDatabase } from "../../../drizzle/local/server.ts";
import { makeFolder } from "./folders.ts";
import { npmRun, type Outcome, type Script } from "./npm.ts";

/** A database with demo data, announced to commands as `npm run dev` announces its database. */
export interface Announced {
  sql: ReturnType<typeof neon<false, false>>;
  /** Runs a package.json script with this database. */
  run(
    script: Script,
    options: readonly string[],
    variables?: object,
    input?: string,
  ): Promise<Outcome>;
  /** Returns every row of every table, as text. */
  dump(): Promise<string>;
  close(): Promise<void>;
}

export async function startAnnounced(): Promise<Announced> {
  const folder = await makeFolder("migrated");
  const database = await startLocalDatabase({ dataFolder: folder.postgres });
  await database.withClient(seedDemo);
  await announceRunning(folder.path, {
    ...database,
    demoDaemons: "http://127.0.0.1:1",
    port: "1",
    workerGroup: process.pid,
  });
  neonConfig.fetchEndpoint = database.endpoint;
  const sql = neon(database.connectionString);
  return {
    sql,
    run: (script, options, variables = {}, input = "") =>
      npmRun(script, options, { DATA_FOLDER: folder.path, ...variables }, input),
    async dump() {
      const tables = await sql`
        select format('select %L, record::text as row from %I.%I as record', relname, nspname, relname) as query
        from pg_class join pg_namespace on pg_namespace.oid = relnamespace
        where nspname in ('public', 'app', 'drizzle') and relkind = 'r'`;
      const query = tables.map((table) => table["query"]).join(" union all ");
      return JSON.stringify(await sql.query(`${query} order by 1, 2`));
    },
    async close() {
      await database.close();
      await folder.remove();
    },
  };
}
