import type { Context } from "hono";
import { ApiError } from "../errors/errors.ts";
import { type AppEnv, factory } from "../http/factory.ts";

/** GET /docs/{file} and GET /explore/{file}: a static asset, with its ETag. */
export const asset = factory.createHandlers((c) => sendAsset(c, c.req.raw));

/** GET /openapi.json: the OpenAPI document without the indentation of the repository's file. */
export const openApiDocument = factory.createHandlers((c) =>
  sendAsset(c, new Request(new URL("/openapi.min.json", c.req.url), c.req.raw)),
);

/** @throws {ApiError} 404 if there is no such asset */
export async function fetchAsset(c: Context<AppEnv>, request: Request): Promise<Response> {
  const response = await c.var.settings.ASSETS.fetch(request);
  if (response.status === 404) {
    throw new ApiError("route_not_found", { method: c.req.method, path: c.req.path });
  }
  return response;
}

async function sendAsset(c: Context<AppEnv>, request: Request): Promise<Response> {
  const response = await fetchAsset(c, request);
  // The headers of a fetched response cannot be changed.
  return new Response(response.body, response);
}
