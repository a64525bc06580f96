import packageJson from "../../package.json" with { type: "json" };
import { describedGroups, operationsOf } from "./describe.ts";
import type { Routes } from "./endpoints.ts";
import { failureResponse } from "./failures.ts";
import { headerComponents } from "./headers.ts";
import { buildOperations } from "./operations.ts";
import { introduction } from "./texts.ts";
import { describedMessages } from "./webhooks.ts";

/**
 * Builds the OpenAPI 3.1 document of an app from its schemas and error catalogue.
 * `loadDescriptions` must have been called.
 * @throws {Error} if an endpoint has no description, or a description has no endpoint
 */
export function buildDocument(app: Routes) {
  const { paths, webhooks, schemas } = buildOperations(operationsOf(app), describedMessages());
  return {
    openapi: "3.1.1",
    info: {
      title: "Network Inventory API",
      version: packageJson.version,
      summary: packageJson.description,
      description: introduction,
      license: { name: packageJson.license, identifier: packageJson.license },
    },
    servers: [
      {
        url: "/",
        description: "The service that serves this document, local or in production.",
        "x-internal": false,
      },
    ],
    tags: describedGroups(),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "inv_u_… or JWT",
          description:
            "A user API key (`inv_u_…`), or a signed token (JWT) that a key has issued with `POST /api/v1/auth/tokens`. An operator creates the first key with `npm run key`.",
        },
        operatorKey: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "inv_o_…",
          description:
            "The key of an operator (`inv_o_…`), who manages organizations and cannot read their data. It is created with `npm run operator-key`.",
        },
      },
      headers: headerComponents,
      responses: {
        // Responses for paths and methods without an operation.
        RouteNotFound: failureResponse(404, ["route_not_found"]),
        MethodNotAllowed: failureResponse(405, ["method_not_allowed"]),
      },
      schemas,
    },
  };
}
