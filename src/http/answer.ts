import type { Context } from "hono";
import { ConfigurationError, settingsOf } from "../env.ts";
import { failure } from "./envelope.ts";
import { ApiError } from "./errors.ts";
import { type AppEnv, factory } from "./factory.ts";
import { logRequest } from "./log.ts";

/** An id of a request that a caller may choose (API contract, section 1). */
export const acceptedRequestId = /^[\w-]{1,64}$/;

/**
 * The outermost middleware: gives the request its id and its configuration, the answer its headers,
 * and the log its line.
 */
export const answer = factory.createMiddleware(async (c, next) => {
  const startedAt = Date.now();
  const sentId = c.req.header("X-Request-Id");
  c.set("requestId", sentId && acceptedRequestId.test(sentId) ? sentId : crypto.randomUUID());
  await serve(c, next);
  c.res.headers.set("X-Request-Id", c.var.requestId);
  c.res.headers.set("X-Content-Type-Options", "nosniff");
  if (!c.res.headers.has("Cache-Control")) {
    c.res.headers.set("Cache-Control", "no-store");
  }
  logRequest(c, startedAt);
});

/** With an unusable configuration nothing is served; which variable is wrong is for the log only. */
async function serve(c: Context<AppEnv>, next: () => Promise<void>): Promise<void> {
  try {
    c.set("settings", settingsOf(c.env));
  } catch (error) {
    if (error instanceof ConfigurationError) {
      console.error(JSON.stringify({ event: "misconfigured", problem: error.message }));
      c.res = failure(c, new ApiError("service_unavailable", { retry_after_seconds: 60 }));
    } else {
      // Not thrown on, as nothing further out would give the answer its headers.
      c.res = answerError(error, c);
    }
    return;
  }
  await next();
}

/** Answers with an error of the catalogue, whatever was thrown. */
export function answerError(error: unknown, c: Context<AppEnv>) {
  return failure(
    c,
    error instanceof ApiError
      ? error
      : new ApiError("internal_error", { request_id: c.var.requestId }),
  );
}

/** Answers where there is no route. */
export const answerNotFound = (c: Context<AppEnv>) =>
  failure(c, new ApiError("route_not_found", { method: c.req.method, path: c.req.path }));

/** Answers where there is a route, but not for the method. */
export const answerMethodNotAllowed = (c: Context, allowed: string[]) =>
  failure(c, new ApiError("method_not_allowed", { method: c.req.method, allowed }));
