import { ApiError } from "../errors/errors.ts";
import { factory } from "../http/factory.ts";

/** GET /openapi.json, /docs/{file}: a static asset, with its ETag. */
export const asset = factory.createHandlers(async (c) => {
  const response = await c.var.settings.ASSETS.fetch(c.req.raw);
  if (response.status === 404) {
    throw new ApiError("route_not_found", { method: c.req.method, path: c.req.path });
  }
  // The headers of a fetched response cannot be changed.
  return new Response(response.body, response);
});
