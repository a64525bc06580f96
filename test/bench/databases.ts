import pg from "pg";
import type { Cluster } from "./cluster.ts";
import { startDatabaseProcess } from "./database-process.ts";
import type { InventorySize } from "./inventory.ts";
import { loadDatabase } from "./load.ts";
import { type Databases, type LoadedDatabase, namespace } from "./scene.ts";

const ten = { namespace, organizations: 10, history: true, credentials: 10_000 };

/** What is in each database. */
export const sizes = {
  million: { ...ten, bindings: 1_000_000 },
  tenth: { ...ten, bindings: 100_000 },
  stream: { namespace, organizations: 1, history: false, bindings: 500_000, credentials: 10 },
  alone: { namespace, organizations: 1, history: false, bindings: 100_000, credentials: 10 },
  pglite: { ...ten, bindings: 20_000, credentials: 1000 },
} satisfies Record<string, InventorySize>;

/** Fills the databases of a cluster, and starts a server for each. */
export async function loadDatabases(
  cluster: Cluster,
  options: { isQuick: boolean },
): Promise<Databases> {
  const open = async (name: "million" | "tenth" | "stream" | "alone"): Promise<LoadedDatabase> => {
    const connectionString = cluster.url(name);
    await inDatabase(cluster.url("postgres"), `create database ${name}`);
    const client = new pg.Client({ connectionString });
    // When the bench fails, Postgres is stopped under it; an unheard "error" would hide why.
    client.on("error", () => {});
    await client.connect();
    await loadDatabase(client, sizes[name], options);
    return {
      client,
      server: await startDatabaseProcess({ databaseUrl: connectionString }),
    };
  };
  // Roles belong to the whole cluster: the first migration makes them, the others find them.
  const tenth = await open("tenth");
  const [million, stream] = await Promise.all([open("million"), open("stream")]);
  return { million, tenth, stream, alone: await open("alone") };
}

async function inDatabase(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** Ends what {@link loadDatabases} has started. */
export async function closeDatabases(databases: Databases): Promise<void> {
  for (const { client, server } of Object.values<LoadedDatabase>({ ...databases })) {
    await client.end();
    await server.stop();
  }
}
