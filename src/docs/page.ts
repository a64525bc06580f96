import type { Context } from "hono";
import type { AppEnv } from "../http/factory.ts";

/**
 * Sets the security headers of a page that calls the API: it may load only resources from this
 * service, plus what the directives allow.
 * @returns the demo key in local development, otherwise an empty string
 */
export function openPage(c: Context<AppEnv>, directives: readonly string[]): string {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    ...directives,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  c.header("Content-Security-Policy", policy.join("; "));
  c.header("Referrer-Policy", "no-referrer");
  const { settings } = c.var;
  return settings.ENVIRONMENT === "development" ? (settings.DEMO_API_KEY ?? "") : "";
}
