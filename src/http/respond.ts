import type { Context, Hono } from "hono";
import { ConfigurationError, settingsOf, version } from "../env.ts";
import { ApiError } from "../errors/errors.ts";
import { uuidV7 } from "../uuid.ts";
import { drain } from "./drain.ts";
import { failure } from "./envelope.ts";
import { type AppEnv, factory } from "./factory.ts";
import { type Counted, rateLimitHeaders } from "./limits/rate-limit.ts";
import { logMisconfiguration, logRequest } from "./log.ts";
import { listOfParts, nearPath, supportingPath } from "./not-found/near-paths.ts";

/** The request ids that a caller may choose (API contract, section 1). */
export const acceptedRequestId = /^[\w-]{1,64}$/;

/**
 * HTTPS only, for two years (RFC 6797). Subdomains are excluded, since they may belong to other
 * services.
 */
export const transportSecurity = "max-age=63072000";

/**
 * Prevents a data response from loading anything or being framed if a browser renders it as a page.
 */
export const jsonSecurityPolicy = "default-src 'none'; frame-ancestors 'none'";

/** The media types of data, as opposed to pages. */
const isData = /^(application\/(json|x-ndjson|vnd\.mermaid)|text\/(csv|plain|vnd\.))/;

/**
 * The outermost middleware: sets the request's id and configuration and the response's headers, and
 * writes the log line.
 */
export const respond = factory.createMiddleware(async (c, next) => {
  const startedAt = Date.now();
  const headerId = c.req.header("X-Request-Id");
  const requestId = headerId && acceptedRequestId.test(headerId) ? headerId : uuidV7();
  const counted: Counted[] = [];
  c.set("requestId", requestId);
  c.set("serverVersion", version);
  c.set("counted", counted);
  await serve(c, next);
  const { headers } = c.res;
  headers.set("X-Request-Id", requestId);
  headers.set("Strict-Transport-Security", transportSecurity);
  if (isData.test(headers.get("Content-Type") ?? "")) {
    headers.set("Content-Security-Policy", jsonSecurityPolicy);
  }
  headers.set("X-Content-Type-Options", "nosniff");
  if (counted.length > 0) {
    for (const [name, value] of Object.entries(rateLimitHeaders(counted))) {
      headers.set(name, value);
    }
  }
  if (!headers.has("Cache-Control")) {
    // Browsers may cache a record, but must revalidate it before each use.
    const isTagged = c.req.method === "GET" && headers.has("ETag");
    headers.set("Cache-Control", isTagged ? "private, no-cache" : "no-store");
  }
  logRequest(c, startedAt);
  // `c.get` is used because `c.var` builds an object with all variables on each access.
  if (c.get("settings")?.ENVIRONMENT === "development") {
    await drain(c.req.raw);
  }
});

const misconfigured = () =>
  new ApiError("service_unavailable", {
    retry_after_seconds: 60,
    outcome: "unchanged",
    advice: "repeat",
  });

/**
 * With an invalid configuration, every response is a 503. Only the log names the invalid variables.
 */
async function serve(c: Context<AppEnv>, next: () => Promise<void>): Promise<void> {
  try {
    const settings = settingsOf(c.env);
    c.set("settings", settings);
    c.set("serverVersion", settings.SERVER_VERSION);
  } catch (error) {
    // The error is stored for the log line. It is not rethrown, because the headers would then not
    // be set.
    c.error = error instanceof Error ? error : undefined;
    if (error instanceof ConfigurationError) {
      logMisconfiguration(error);
      c.res = failure(c, misconfigured());
    } else {
      c.res = respondError(error, c);
    }
    return;
  }
  await next();
}

/** Responds with the thrown error if it is from the catalogue; any other error becomes a 500. */
export function respondError(error: unknown, c: Context<AppEnv>) {
  return failure(
    c,
    error instanceof ApiError
      ? error
      : new ApiError("internal_error", { request_id: c.var.requestId }),
  );
}

/** Responds with 404 for an unknown path, and suggests a similar path of the app. */
export const respondNotFound = (app: Hono<AppEnv>) => async (c: Context<AppEnv>) => {
  const { method, path } = c.req;
  const near = nearPath(app, path) ?? (await listOfParts(app, path));
  return failure(
    c,
    new ApiError("route_not_found", { method, path, ...(near !== undefined && { nearest: near }) }),
  );
};

/** Responds with 405 for an unsupported method, and suggests a path that supports it. */
export const respondMethodNotAllowed =
  (app: Hono<AppEnv>) => (c: Context<AppEnv>, allowed: string[]) => {
    const { method, path } = c.req;
    const near = supportingPath(app, method, path);
    return failure(
      c,
      new ApiError("method_not_allowed", {
        method,
        allowed,
        ...(near !== undefined && { nearest: near }),
      }),
    );
  };
