import { readiness } from "../database/readiness.ts";
import { meta, success } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { limitAddress } from "../http/rate-limit.ts";

/** GET /api/health: the Worker runs. Touches no database. */
export const health = factory.createHandlers((c) => success(c, { status: "ok" as const }));

/** GET /api/health/ready: the database answers in time too; 503 if it does not. */
export const ready = factory.createHandlers(async (c) => {
  await limitAddress(c.var.settings, c.req.raw);
  await readiness(c.var.settings);
  return success(c, { status: "ok" as const });
});

/** GET /api/version: the version of the API and of the server. */
export const version = factory.createHandlers((c) => success(c, meta));
