import type { Context } from "hono";
import { cors } from "hono/cors";
import { TrieRouter } from "hono/router/trie-router";
import { type AppEnv, factory } from "./factory.ts";

/** The part of an app that a preflight needs. */
interface Routed {
  routes: readonly { method: string; path: string }[];
}

/**
 * The request headers from the API contract that require a preflight. Browsers send the contract's
 * other headers without one.
 */
const requestHeaders = [
  "Authorization",
  "Content-Type",
  "X-Request-Id",
  "If-Match",
  "If-None-Match",
  "Idempotency-Key",
  // Headers of the Model Context Protocol. Clients may send the last two, although this server does
  // not support sessions or streams.
  "Mcp-Protocol-Version",
  "Mcp-Method",
  "Mcp-Name",
  "Mcp-Session-Id",
  "Last-Event-ID",
];

/** The response headers that a page may read (API contract, section 6). */
const responseHeaders = [
  "ETag",
  "Location",
  "Link",
  "Retry-After",
  "RateLimit-Policy",
  "RateLimit",
  "Idempotent-Replayed",
  "X-Request-Id",
  "Allow",
  "WWW-Authenticate",
];

/**
 * Allows the origins in CORS_ORIGINS. If that is empty, responses do not have CORS headers.
 *
 * A preflight (Fetch standard, section 4.8) is an OPTIONS request with an `Origin` and an
 * `Access-Control-Request-Method`. If the origin is listed and the path exists, the response is 204
 * with the path's methods. Any other OPTIONS request is handled as if CORS were off.
 * @param app the app whose routes are read at the first preflight, by which time all of them have
 * been registered
 */
export function allowListedOrigins(app: Routed) {
  const methodsAt = methodsByPath(app);
  const isListed = (c: Context<AppEnv>, origin: string | undefined) =>
    origin !== undefined && c.get("settings").CORS_ORIGINS.includes(origin);
  const allow = cors({
    origin: (origin, c: Context<AppEnv>) => (isListed(c, origin) ? origin : null),
    allowMethods: (_, c: Context<AppEnv>) => methodsAt(c.req.path),
    allowHeaders: requestHeaders,
    exposeHeaders: responseHeaders,
    maxAge: 86_400,
  });
  const isPreflight = (c: Context<AppEnv>) =>
    isListed(c, c.req.header("Origin")) &&
    c.req.header("Access-Control-Request-Method") !== undefined &&
    methodsAt(c.req.path).length > 0;
  return factory.createMiddleware((c, next) => {
    const isOff = c.get("settings").CORS_ORIGINS.length === 0;
    // Hono's middleware responds to every OPTIONS request, so only preflights are passed to it.
    return isOff || (c.req.method === "OPTIONS" && !isPreflight(c)) ? next() : allow(c, next);
  });
}

/**
 * Returns a function that lists the methods of a path. The list is empty if the path does not have
 * a route.
 */
function methodsByPath(app: Routed): (path: string) => string[] {
  let router: TrieRouter<string> | null = null;
  return (path) => {
    if (router === null) {
      router = new TrieRouter();
      for (const route of app.routes) {
        if (route.method !== "ALL") {
          router.add("ALL", route.path, route.method);
        }
      }
    }
    const methods = router.match("ALL", path)[0].map(([method]) => method);
    return [...new Set(methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : method)))];
  };
}
