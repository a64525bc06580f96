import { html } from "hono/html";
import { factory } from "../http/factory.ts";
import { openPage } from "./page.ts";

/** GET /explore: the page of `src/explore`. In local development it contains a demo key. */
export const explore = factory.createHandlers((c) => {
  const key = openPage(c, [
    "style-src 'self'",
    "img-src 'self'",
    "require-trusted-types-for 'script'",
  ]);
  return c.html(html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Explore: Network Inventory API</title>
    <link rel="icon" href="/docs/icon.svg">
    <link rel="stylesheet" href="/docs/colors.css">
    <link rel="stylesheet" href="/explore/explore.css">
    <script src="/explore/app.js" data-key="${key}" defer></script>
  </head>
  <body>
    <noscript>
      <p>This page needs JavaScript. Everything that it shows is also in the <a href="/docs">API</a>.</p>
    </noscript>
    <div id="explore"></div>
  </body>
</html>`);
});
