import { html } from "hono/html";
import { factory } from "../http/factory.ts";
import { openPage } from "./page.ts";

/** GET /docs: the interactive reference. In local development it contains a demo key. */
export const reference = factory.createHandlers((c) => {
  // Scalar adds inline styles while rendering.
  const key = openPage(c, [
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
  ]);
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
