import { serveDatabase } from "../local-database/serve.ts";
import type { DatabaseOptions } from "./database-process.ts";
import { loadDatabase } from "./load.ts";

await serveDatabase<DatabaseOptions>(async (client, { inventory }) => {
  if (inventory) {
    await loadDatabase(client, inventory);
  }
});
