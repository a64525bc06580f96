import type { Hono } from "hono";
import { type AppEnv, factory } from "../http/factory.ts";

/**
 * Redirects a path that other clients use but that is not part of the API. Does not require a key.
 * @param path the new path
 * @param from the old path; set only if all paths below it have moved as well
 */
export const movedTo = (path: string, from?: string) =>
  factory.createHandlers((c) => {
    const { pathname, search } = new URL(c.req.url);
    const below = from === undefined ? "" : pathname.slice(from.length);
    return c.redirect(`${path}${below}${search}`, 308);
  });

/**
 * Responds to GET with the response of another path if the request has a parameter that only that
 * path accepts. Clients that were written for other servers expect a list there, and do not follow
 * redirects.
 */
export const servedBy = (app: Hono<AppEnv>, path: string, parameter: string) =>
  factory.createMiddleware(async (c, next) => {
    const { searchParams, search } = new URL(c.req.url);
    if (c.req.method !== "GET" || !searchParams.has(parameter)) {
      return next();
    }
    const request = new Request(new URL(`${path}${search}`, c.req.url), c.req.raw);
    request.headers.set("X-Request-Id", c.var.requestId);
    return app.fetch(request, c.env, c.executionCtx);
  });
