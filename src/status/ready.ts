import { readiness } from "../database/readiness.ts";
import { mayFail } from "../http/declares.ts";
import { ok } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { limitReadiness } from "../http/limits/rate-limit.ts";
import { storedStatements } from "../stored-statements.ts";

/**
 * GET /api/health/ready: readiness, including the database and the sealing keys; 503 if the service
 * is not ready.
 */
export const ready = factory.createHandlers(mayFail("rate_limit_exceeded"), async (c) => {
  await limitReadiness(c);
  await readiness(
    c.var.settings,
    storedStatements().map(({ name }) => name),
  );
  return ok(c, { status: "ok" as const });
});
