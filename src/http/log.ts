import type { Context } from "hono";
import { matchedRoutes } from "hono/route";
import { databaseFailureBehind } from "../database/failure.ts";
import type { TenantSession } from "../database/tenant.ts";
import type { AppEnv } from "./factory.ts";
import { StreamDeadlineError } from "./stream-limits.ts";

type LoggedContext = Context<AppEnv> & { var: { tenant?: TenantSession } };

/** The pattern of the route that answered, so that logs hold no ids; null where there is none. */
function routePattern(c: Context<AppEnv>): string | null {
  const route = matchedRoutes(c).findLast(({ method }) => method !== "ALL");
  return route?.path ?? null;
}

/**
 * Writes the one line that a request leaves behind. Nothing of what callers sent is in it, nor a
 * message of the database: both can hold secrets.
 * @param startedAt when the request came, in milliseconds since the epoch
 */
export function logRequest(c: LoggedContext, startedAt: number): void {
  const failure = databaseFailureBehind(c.error);
  const caller = c.var.tenant?.caller ?? failure?.caller ?? null;
  const line = {
    method: c.req.method,
    route: routePattern(c),
    status: c.res.status,
    duration_ms: Date.now() - startedAt,
    request_id: c.var.requestId,
    key_id: caller?.key_id ?? null,
    organization_id: caller?.organization_id ?? null,
    sqlstate: failure?.sqlstate ?? null,
  };
  console.log(JSON.stringify(line));
}

/** Writes that a list broke off after its first part had been sent with status 200, and why. */
export function logStreamFailure(requestId: string, error: unknown): void {
  const sqlstate = databaseFailureBehind(error)?.sqlstate ?? null;
  const reason = error instanceof StreamDeadlineError ? "deadline" : "failure";
  const line = { event: "stream_aborted", request_id: requestId, reason, sqlstate };
  console.error(JSON.stringify(line));
}
