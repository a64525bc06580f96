import { html } from "hono/html";
import { factory } from "../http/factory.ts";

/** Allows only the page's own style and icon. The page does not contain scripts. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const demoNote = html`<p id="demo">
            <b>Local development.</b> The requests below contain an Owner's demo key and work as they are.
            <code>drizzle/demo.json</code> has a key for each role.
          </p>`;

/**
 * GET /: the start page, with a description, how to get a key, a first request and links. Its
 * requests contain the service's own address and, in local development, the demo key.
 */
export const home = factory.createHandlers(async (c) => {
  const { settings } = c.var;
  const key = settings.ENVIRONMENT === "development" ? settings.DEMO_API_KEY : undefined;
  const { origin } = new URL(c.req.url);
  // The asset's headers, especially its ETag, do not apply to the generated page.
  const asset = await settings.ASSETS.fetch(new Request(new URL("/home.html", origin)));
  // The origin comes from the caller's Host header, so it is escaped.
  const address = String(await html`${origin}`);
  const shownKey = String(await html`${key ?? "YOUR_KEY"}`);
  const note = key === undefined ? "" : String(await demoNote);
  const page = (await asset.text())
    // Functions, since "$" is special in replacement strings.
    .replaceAll("https://your.host", () => address)
    .replaceAll("YOUR_KEY", () => shownKey)
    .replace("<!-- demo -->", () => note);
  c.header("Content-Security-Policy", contentSecurityPolicy);
  c.header("Referrer-Policy", "no-referrer");
  return c.html(page);
});
