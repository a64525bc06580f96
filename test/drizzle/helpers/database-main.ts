import { startLocalDatabase } from "../../../drizzle/local/server.ts";

/** The process that `startDatabaseProcess` starts; its argument is the server's options. */
const { endpoint, connectionString, close } = await startLocalDatabase(
  JSON.parse(process.argv[2] ?? "{}"),
);
process.send?.({ endpoint, connectionString });
process.once("SIGTERM", () => close().then(() => process.exit(0)));
process.once("disconnect", () => process.exit(1));
