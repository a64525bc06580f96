import { html } from "hono/html";
import { factory } from "../http/factory.ts";

/** Only the page's own style and icon. It has no script. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const demoNote = html`<p id="demo">
            <b>Local development.</b> The requests below carry the demo key of an Owner and work as they are.
            One key for each role is in <code>drizzle/demo.json</code>.
          </p>`;

/**
 * GET /: what this service is, how to get a key, a first request, and what to read next. Requests show
 * the service's own address and, in local development, the demo key.
 */
export const home = factory.createHandlers(async (c) => {
  const { settings } = c.var;
  const key = settings.ENVIRONMENT === "development" ? settings.DEMO_API_KEY : undefined;
  const { origin } = new URL(c.req.url);
  // The asset's headers, above all its ETag, do not fit the page that is made from it.
  const asset = await settings.ASSETS.fetch(new Request(new URL("/home.html", origin)));
  // The caller's Host header decides the origin, so it is escaped.
  const address = String(await html`${origin}`);
  const shownKey = String(await html`${key ?? "YOUR_KEY"}`);
  const note = key === undefined ? "" : String(await demoNote);
  const page = (await asset.text())
    // Functions, since "$" has a meaning in a replacement text.
    .replaceAll("https://your.host", () => address)
    .replaceAll("YOUR_KEY", () => shownKey)
    .replace("<!-- demo -->", () => note);
  c.header("Content-Security-Policy", contentSecurityPolicy);
  c.header("Referrer-Policy", "no-referrer");
  return c.html(page);
});
