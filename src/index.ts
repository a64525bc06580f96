import { app } from "./app.ts";

export type { App } from "./app.ts";

export default { fetch: app.fetch };
