import { serveDatabase } from "./serve.ts";

await serveDatabase();
