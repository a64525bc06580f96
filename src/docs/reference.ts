import { html } from "hono/html";
import { factory } from "../http/factory.ts";
import { fetchAsset } from "./assets.ts";
import { openPage } from "./page.ts";

/**
 * GET /docs and GET /docs/{group}: a page of the reference, which `reference/pages.ts` has rendered
 * from the OpenAPI document. In local development it contains a demo key.
 */
export const reference = factory.createHandlers(async (c) => {
  const name = encodeURIComponent(c.req.param("group") ?? "index");
  const asset = await fetchAsset(c, new Request(new URL(`/reference/${name}.html`, c.req.url)));
  const key = openPage(c, ["style-src 'self'", "img-src 'self'"]);
  const attribute = String(await html`data-key="${key}"`);
  // A function, since "$" is special in replacement strings.
  return c.html((await asset.text()).replace('data-key=""', () => attribute));
});
