import { migrateDatabase } from "../../drizzle/migrate.ts";
import { serveDatabase } from "../local-database/serve.ts";

await serveDatabase(migrateDatabase);
