import { html } from "hono/html";
import { factory } from "../http/factory.ts";

/** Allows only resources of this service. Scalar adds inline styles while rendering. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** GET /docs: the interactive reference. In local development it contains a demo key. */
export const reference = factory.createHandlers((c) => {
  const { settings } = c.var;
  const key = settings.ENVIRONMENT === "development" ? (settings.DEMO_API_KEY ?? "") : "";
  c.header("Content-Security-Policy", contentSecurityPolicy);
  c.header("Referrer-Policy", "no-referrer");
  return c.html(html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Reference: Network Inventory API</title>
    <link rel="icon" href="/docs/icon.svg">
    <link rel="stylesheet" href="/docs/reference.css">
  </head>
  <body>
    <noscript>
      <p>This reference needs JavaScript. Everything in it is also in the <a href="/openapi.json">OpenAPI document</a>; the <a href="/">start page</a> has a first request.</p>
    </noscript>
    <div id="reference"></div>
    <script src="/docs/scalar.js"></script>
    <script src="/docs/start.js" data-key="${key}"></script>
  </body>
</html>`);
});
