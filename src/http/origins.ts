import type { Context } from "hono";
import { cors } from "hono/cors";
import { type AppEnv, factory } from "./factory.ts";

const allowListed = cors({
  origin: (origin, c: Context<AppEnv>) =>
    c.var.settings.CORS_ORIGINS.includes(origin) ? origin : null,
  allowMethods: ["GET", "PUT", "POST"],
  allowHeaders: ["Authorization", "Content-Type", "X-Request-Id"],
  exposeHeaders: ["X-Request-Id", "Retry-After", "WWW-Authenticate", "Allow"],
  maxAge: 86_400,
});

/** Lets pages of the origins in CORS_ORIGINS call; where none is listed, no answer speaks of CORS. */
export const allowListedOrigins = factory.createMiddleware((c, next) =>
  c.var.settings.CORS_ORIGINS.length === 0 ? next() : allowListed(c, next),
);
