import type { Context } from "hono";
import { matchedRoutes } from "hono/route";
import { databaseFailureBehind } from "../database/database-failure.ts";
import type { TenantSession } from "../database/session.ts";
import { ConfigurationError, metricsOf } from "../env.ts";
import { ApiError } from "../errors/errors.ts";
import { measure } from "../metrics.ts";
import type { AppEnv } from "./factory.ts";
import { traceOf } from "./trace.ts";

type LoggedContext = Context<AppEnv> & { var: { tenant?: TenantSession; keyHint?: string } };

/** The pattern of the route that served, so that logs hold no ids; null where there is none. */
function routePattern(c: Context<AppEnv>): string | null {
  // Later ones, such as `/tags/:id` for `/tags/assign`, match but never run.
  const route = matchedRoutes(c).find(({ method }) => method !== "ALL");
  return route?.path ?? null;
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The id in the path of a write, as its audit; null for what only looks like a place for one. */
function recordId(c: Context<AppEnv>): string | null {
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  const id = isRead || routePattern(c) === null ? undefined : c.req.param("id")?.toLowerCase();
  return id !== undefined && uuid.test(id) ? id : null;
}

/** Writes which variable of the configuration is wrong; its value is never in the message. */
export function logMisconfiguration({ message }: ConfigurationError): void {
  console.error(JSON.stringify({ event: "misconfigured", problem: message }));
}

/** Why the service could not serve the request. */
const unavailabilityReason = (error: Error | undefined) =>
  error instanceof ConfigurationError
    ? "configuration"
    : (databaseFailureBehind(error)?.reason ?? null);

/**
 * Writes the one line that a request leaves behind. Nothing of what callers sent is in it but the id
 * of a record that they write and, in the line of a 5xx, the last four characters of their key, by which
 * lists of keys show it; nor a message of an error: both can hold secrets.
 * @param startedAt when the request came, in milliseconds since the epoch
 */
export function logRequest(c: LoggedContext, startedAt: number): void {
  const { tenant, keyHint, requestId } = c.var;
  const failure = databaseFailureBehind(c.error);
  const isFault = c.res.status >= 500;
  // Where the database has not said whose the key is, the isolate may remember it.
  const known = isFault ? tenant?.knownCaller : null;
  const caller = tenant?.caller ?? failure?.caller ?? known ?? null;
  const line = {
    method: c.req.method,
    route: routePattern(c),
    status: c.res.status,
    duration_ms: Date.now() - startedAt,
    request_id: requestId,
    key_id: caller?.key_id ?? null,
    key_hint: (isFault ? keyHint : null) ?? null,
    organization_id: caller?.organization_id ?? null,
    record_id: recordId(c),
    sqlstate: failure?.sqlstate ?? null,
    reason: c.res.status === 503 ? unavailabilityReason(c.error) : null,
    error: c.res.status === 500 && c.error ? traceOf(c.error) : null,
  };
  console.log(JSON.stringify(line));
  measure(metricsOf(c.env), {
    event: "request",
    operation: line.route === null ? "none" : `${line.method} ${line.route}`,
    outcome: line.reason ?? outcomeOf(c),
    organization_id: line.organization_id,
    status: line.status,
    duration_ms: line.duration_ms,
    database_ms: tenant?.databaseMs ?? 0,
  });
}

/** What came of a request, as the metrics name it: `ok`, or the code of its error. */
function outcomeOf({ res, error }: LoggedContext): string {
  if (res.status < 400) {
    return "ok";
  }
  return error instanceof ApiError ? error.code : res.status < 500 ? "refused" : "internal_error";
}

/**
 * Writes that a list broke off after its first part had been sent with status 200, and why: its reader
 * took too long, or something failed.
 */
export function logStreamFailure(
  requestId: string,
  reason: "deadline" | "failure",
  error: unknown,
): void {
  const sqlstate = databaseFailureBehind(error)?.sqlstate ?? null;
  const line = { event: "stream_aborted", request_id: requestId, reason, sqlstate };
  console.error(JSON.stringify(line));
}
