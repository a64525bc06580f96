import { metaOf, ok } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";

/** GET /api/health: liveness, without using the database. */
export const health = factory.createHandlers((c) =>
  ok(c, `Network Inventory API ${c.var.serverVersion}`),
);

/** GET /api/version: the versions of the API and the server. */
export const version = factory.createHandlers((c) => ok(c, metaOf(c)));
