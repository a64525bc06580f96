import * as z from "zod";
import packageJson from "../../../package.json" with { type: "json" };
import { meta } from "../envelope.ts";
import type { ErrorCode } from "../errors.ts";
import { convert, type Json } from "./components.ts";
import { type Endpoint, endpointsOf } from "./endpoints.ts";
import { failureSchemas, metaSchema, successSchema } from "./envelope.ts";
import { byStatus, failureResponse } from "./failures.ts";
import { headerComponents, headersOf, requestIdParameter } from "./headers.ts";
import { introduction, sharedParameters, tags } from "./texts.ts";

/** Statuses whose errors differ between operations are written out; the others are components. */
const responseNames: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  403: "Forbidden",
  409: "Conflict",
  413: "ContentTooLarge",
  415: "UnsupportedMediaType",
  429: "TooManyRequests",
  500: "InternalServerError",
  503: "ServiceUnavailable",
};

/** Answers where there is no operation. */
const outside = {
  RouteNotFound: "route_not_found",
  MethodNotAllowed: "method_not_allowed",
} as const;

/**
 * The OpenAPI 3.1 document of an app, from the schemas and the error catalogue that it runs.
 * @throws {Error} when an endpoint lacks a description, or a description its endpoint
 */
export function buildDocument(app: Parameters<typeof endpointsOf>[0]) {
  const endpoints = endpointsOf(app);
  const answers = new Map(
    endpoints.map((endpoint) => [endpoint, successSchema(endpoint.description.data)]),
  );
  const converted = convert(
    endpoints.flatMap(({ param, query, json }) => [
      ...parameterSchemas(param),
      ...parameterSchemas(query),
      ...(json ? [json] : []),
    ]),
    [
      ...answers.values(),
      ...Object.values(failureSchemas),
      ...endpoints.flatMap(({ query }) => parameterSchemas(query)),
      metaSchema,
    ],
  );
  const responses: Record<string, Json> = {};
  for (const [name, code] of Object.entries(outside)) {
    const [[status, codes]] = byStatus([code]) as [[number, ErrorCode[]]];
    responses[name] = failureResponse(status, codes, meta);
  }
  const paths: Record<string, Record<string, Json>> = {};
  for (const endpoint of endpoints) {
    const answer = converted.answer(found(answers.get(endpoint)));
    const operations = paths[endpoint.path] ?? {};
    operations[endpoint.method.toLowerCase()] = {
      operationId: endpoint.description.operationId,
      tags: [endpoint.description.tag],
      summary: endpoint.description.summary,
      description: withRole(endpoint),
      // OpenAPI 3.1: the roles that a scheme without scopes requires.
      security: endpoint.role === null ? [] : [{ apiKey: [endpoint.role] }],
      parameters: [
        ...parameters(endpoint, "path", converted),
        ...parameters(endpoint, "query", converted),
        { $ref: "#/components/parameters/RequestId" },
      ],
      ...(endpoint.json && {
        requestBody: requestBody(endpoint, converted.request(endpoint.json)),
      }),
      responses: {
        200: success(endpoint, answer),
        ...failures(endpoint, responses),
      },
    };
    paths[endpoint.path] = operations;
  }
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
    tags,
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "inv_u_…",
          description: "A user API key, created in the platform's API Keys area.",
        },
      },
      parameters: { RequestId: requestIdParameter },
      headers: headerComponents,
      responses: Object.fromEntries(
        Object.entries(responses).sort(([one], [other]) => (one < other ? -1 : 1)),
      ),
      schemas: converted.components,
    },
  };
}

const withRole = ({ role, description }: Endpoint) =>
  role === null
    ? `${description.description}\n\nNeeds no key.`
    : `${description.description}\n\nLeast role: **${role}**.`;

/** The fields of a part of the request that is an object of parameters. */
const parameterSchemas = (part: z.ZodType | undefined): z.ZodType[] =>
  part instanceof z.ZodObject ? Object.values(part.shape) : [];

function parameters(
  { param, query, description }: Endpoint,
  place: "path" | "query",
  { request, answer }: ReturnType<typeof convert>,
): Json[] {
  const part = place === "path" ? param : query;
  const fields = part instanceof z.ZodObject ? Object.entries<z.ZodType>(part.shape) : [];
  return fields.map(([name, field]) => {
    const asText = request(field);
    // The validator takes text, as a URL holds nothing else, but numbers are what callers mean.
    const asParsed = place === "query" ? answer(field) : asText;
    const { description: text, example } = description.parameters?.[name] ?? {};
    return {
      name,
      in: place,
      required: !field.safeParse(undefined).success,
      description: text ?? sharedParameters[name],
      schema: asParsed["type"] === "integer" ? asParsed : asText,
      ...(example !== undefined && {
        // The reference shows it, and sends it only when it is chosen.
        examples: { default: { value: example, ...(place === "query" && { "x-disabled": true }) } },
      }),
    };
  });
}

const requestBody = ({ description: { example } }: Endpoint, schema: Json): Json => ({
  required: true,
  content: {
    "application/json": {
      schema,
      example: example.body,
    },
  },
});

const success = ({ description }: Endpoint, schema: Json): Json => {
  const { data } = description.example;
  const pagination = { total_count: 1, limit: 50, offset: 0, has_more: false };
  const value = {
    success: true,
    data,
    meta: Array.isArray(data) ? { ...meta, pagination } : meta,
  };
  return {
    description: description.answer,
    headers: headersOf(200),
    content: {
      "application/json": { schema, example: value },
    },
  };
};

/** The failures of an endpoint; those that are components are added to `shared`. */
function failures({ errors, description }: Endpoint, shared: Record<string, Json>) {
  return Object.fromEntries(
    byStatus(errors).map(([status, codes]) => {
      const response = failureResponse(status, codes, meta, description.errorExamples);
      const name = responseNames[status];
      if (name === undefined) {
        return [status, response];
      }
      shared[name] = response;
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}

function found<Value>(value: Value | undefined): Value {
  if (value === undefined) {
    throw new Error("not found");
  }
  return value;
}
