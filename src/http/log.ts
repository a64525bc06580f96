import type { Context } from "hono";
import { matchedRoutes } from "hono/route";
import { databaseFailureBehind } from "../database/database-failure.ts";
import type { OperatorSession } from "../database/operator-session.ts";
import type { TenantSession } from "../database/session.ts";
import { ConfigurationError, metricsOf } from "../env.ts";
import { ApiError } from "../errors/errors.ts";
import { measure } from "../outbound/metrics.ts";
import type { AppEnv } from "./factory.ts";
import { recentOrganization } from "./limits/rate-limit.ts";
import { traceOf } from "./trace.ts";

type LoggedContext = Context<AppEnv> & {
  var: {
    tenant?: TenantSession;
    operator?: OperatorSession;
    keyHash?: string;
    keyHint?: string;
  };
};

/** The pattern of the matched route, so that logs do not contain ids; null if no route matched. */
function routePattern(c: Context<AppEnv>): string | null {
  // Later routes, such as `/tags/:id` for `/tags/assign`, also match but never run.
  const route = matchedRoutes(c).find(({ method }) => method !== "ALL");
  return route?.path ?? null;
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The record id in the path of a write, for audits; null if the path segment is not a UUID. */
function recordId(c: Context<AppEnv>): string | null {
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  const id = isRead || routePattern(c) === null ? undefined : c.req.param("id")?.toLowerCase();
  return id !== undefined && uuid.test(id) ? id : null;
}

/** Logs the name of each invalid configuration variable. The message never contains values. */
export function logMisconfiguration({ message }: ConfigurationError): void {
  console.error(JSON.stringify({ event: "misconfigured", problem: message }));
}

/** The reason for a 503. */
const unavailabilityReason = (error: Error | undefined) =>
  error instanceof ConfigurationError
    ? "configuration"
    : (databaseFailureBehind(error)?.reason ?? null);

/**
 * The organization of a request that exceeded a limit, if this isolate knows its key. Such a request
 * is rejected before the database identifies its caller.
 */
const limitedOrganization = ({ res, var: { settings, keyHash } }: LoggedContext): string | null =>
  res.status === 429 && keyHash !== undefined
    ? (recentOrganization(settings, keyHash) ?? null)
    : null;

/**
 * Writes a request's single log line. The only caller data in it are the id of a written record
 * and, for a 5xx, the last four characters of the key (`key_hint` in lists) or of the token. It does
 * not contain error messages or other caller data, because they can contain secrets.
 * @param startedAt when the request arrived, in milliseconds since the epoch
 */
export function logRequest(c: LoggedContext, startedAt: number): void {
  const { tenant, operator, keyHint, requestId, waitedMs } = c.var;
  const failure = databaseFailureBehind(c.error);
  const isFault = c.res.status >= 500;
  // If the database has not identified the key's owner, this isolate may still remember the owner.
  const known = isFault ? tenant?.knownCaller : null;
  const caller = tenant?.caller ?? failure?.caller ?? known ?? null;
  const line = {
    method: c.req.method,
    route: routePattern(c),
    status: c.res.status,
    duration_ms: Date.now() - startedAt - (waitedMs ?? 0),
    request_id: requestId,
    key_id: caller?.key_id ?? operator?.keyId ?? null,
    key_hint: (isFault ? keyHint : null) ?? null,
    organization_id: caller?.organization_id ?? limitedOrganization(c),
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
    database_ms: tenant?.databaseMs ?? operator?.databaseMs ?? 0,
  });
}

/** The outcome of a request in the metrics: `ok`, or the code of its error. */
function outcomeOf({ res, error }: LoggedContext): string {
  if (res.status < 400) {
    return "ok";
  }
  return error instanceof ApiError ? error.code : res.status < 500 ? "refused" : "internal_error";
}

/**
 * Logs that a stream was aborted after its status 200 had been sent, and why: the client exceeded a
 * deadline, or an error occurred.
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
