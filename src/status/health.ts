import { metaOf, ok } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";

/** GET /api/health: liveness, without the database. */
export const health = factory.createHandlers((c) =>
  ok(c, `Network Inventory API ${c.var.serverVersion}`),
);

/** GET /api/version: the version of the API and of the server. */
export const version = factory.createHandlers((c) => ok(c, metaOf(c)));
