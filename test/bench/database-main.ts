import { startLocalDatabase } from "../../drizzle/local/server.ts";
import { withProbes } from "../local-database/probes.ts";
import type { DatabaseOptions } from "./database-process.ts";
import { loadDatabase } from "./load.ts";

/** The process that `startDatabaseProcess` starts; its argument is {@link DatabaseOptions}. */
const { inventory, ...options }: DatabaseOptions = JSON.parse(process.argv[2] ?? "");
const database = await startLocalDatabase({ ...options, wrap: withProbes });
if (inventory) {
  await database.withClient((client) => loadDatabase(client, inventory));
}
process.send?.({ endpoint: database.endpoint, connectionString: database.connectionString });
process.once("SIGTERM", () => database.close().then(() => process.exit(0)));
process.once("disconnect", () => process.exit(1));
