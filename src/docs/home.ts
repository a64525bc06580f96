import { factory } from "../http/factory.ts";

/** Nothing but the page's own style and icon. It has no script. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * GET /: what this service is, how to get a key, a first request, and where to go on. Its requests
 * name the service's own address and, in local development, the demo key.
 */
export const home = factory.createHandlers(async (c) => {
  const { settings } = c.var;
  const key = settings.ENVIRONMENT === "development" ? settings.DEMO_API_KEY : undefined;
  const { origin } = new URL(c.req.url);
  const asset = await settings.ASSETS.fetch(new Request(new URL("/home.html", origin)));
  // Of the asset's headers none fits the page that is made of it, its ETag least of all.
  const page = new Response(asset.body, {
    headers: {
      "Content-Type": "text/html; charset=UTF-8",
      "Content-Security-Policy": contentSecurityPolicy,
      "Referrer-Policy": "no-referrer",
    },
  });
  // What is set as text is escaped: the address is of the caller's making.
  return new HTMLRewriter()
    .on(".origin", { element: (element) => void element.setInnerContent(origin) })
    .on(".api-key", {
      element: (element) => void (key && element.setInnerContent(key)),
    })
    .on("#demo", {
      element: (element) => void (key ? element.removeAttribute("hidden") : element.remove()),
    })
    .transform(page);
});
