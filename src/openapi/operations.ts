import * as z from "zod";
import { convert } from "./components.ts";
import type { Operation } from "./describe.ts";
import { exampleMeta, failureSchemas, successSchema } from "./envelope.ts";
import { byStatus, failureResponse } from "./failures.ts";
import { headersOf } from "./headers.ts";
import type { Json } from "./json-schema.ts";
import { sharedParameters } from "./texts.ts";

/** Statuses that mean the same everywhere, and the names of their components. */
const sharedStatuses: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  409: "Conflict",
  413: "ContentTooLarge",
  415: "UnsupportedMediaType",
  429: "TooManyRequests",
  500: "InternalServerError",
  503: "ServiceUnavailable",
};

/** Operations by path and method, and the components that they refer to. */
export function buildOperations(operations: readonly Operation[]) {
  const answers = new Map(
    operations.map((operation) => [operation, successSchema(operation.description.data)]),
  );
  const parameters = operations.flatMap(({ param, query }) =>
    [param, query].flatMap((part) => Object.values(fieldsOf(part))),
  );
  const bodies = operations.flatMap(({ json }) => json ?? []);
  const schemas = convert(
    [...parameters, ...bodies],
    [...answers.values(), ...parameters, ...Object.values(failureSchemas)],
  );
  const responses: Record<string, Json> = {};
  const paths: Record<string, Record<string, Json>> = {};
  for (const [operation, answer] of answers) {
    const { method, path, role, description, json } = operation;
    const { operationId, tag, summary, example } = description;
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        operationId,
        tags: [tag],
        summary,
        description: `${description.description}\n\n${role === null ? "Needs no key." : `Least role: **${role}**.`}`,
        // OpenAPI 3.1: the roles that a scheme without scopes requires.
        security: role === null ? [] : [{ apiKey: [role] }],
        parameters: [
          ...parametersOf(operation, "path", schemas),
          ...parametersOf(operation, "query", schemas),
          { $ref: "#/components/parameters/RequestId" },
        ],
        ...(json && { requestBody: requestBody(schemas.request(json), example.body) }),
        responses: {
          200: success(operation, schemas.answer(answer)),
          ...failures(operation, responses),
        },
      },
    };
  }
  return { paths, responses, schemas: schemas.components };
}

/** The parameters in a part of the request. */
const fieldsOf = (part: z.ZodType | undefined): Record<string, z.ZodType> =>
  part instanceof z.ZodObject ? part.shape : {};

const parametersOf = (
  { description, ...operation }: Operation,
  place: "path" | "query",
  schemas: ReturnType<typeof convert>,
): Json[] =>
  Object.entries(fieldsOf(place === "path" ? operation.param : operation.query)).map(
    ([name, field]) => {
      // The validator takes text, as a URL holds nothing else, but numbers are what callers mean.
      const parsed = schemas.answer(field);
      const schema = parsed["type"] === "integer" ? parsed : schemas.request(field);
      const { description: text, example } = description.parameters?.[name] ?? {};
      return {
        name,
        in: place,
        required: !field.safeParse(undefined).success,
        description: text ?? sharedParameters[name],
        schema,
        ...(example !== undefined && {
          // The reference shows it, and sends it only when it is chosen.
          examples: {
            default: {
              value: schema["type"] === "array" ? [example] : example,
              ...(place === "query" && { "x-disabled": true }),
            },
          },
        }),
      };
    },
  );

const requestBody = (schema: Json, example: unknown): Json => ({
  required: true,
  content: { "application/json": { schema, example } },
});

function success({ description }: Operation, schema: Json): Json {
  const { data } = description.example;
  const pagination = { total_count: 1, limit: 50, offset: 0, has_more: false };
  const example = {
    success: true,
    data,
    meta: Array.isArray(data) ? { ...exampleMeta, pagination } : exampleMeta,
  };
  return {
    description: description.answer,
    headers: headersOf(200),
    content: { "application/json": { schema, example } },
  };
}

/**
 * The failures of an operation. Those that mean the same everywhere are added to `shared`.
 * @throws {Error} when one does not mean the same everywhere after all
 */
function failures({ errors, description }: Operation, shared: Record<string, Json>) {
  return Object.fromEntries(
    byStatus(errors).map(([status, codes]) => {
      const response = failureResponse(status, codes, description.errorExamples);
      const name = sharedStatuses[status];
      if (name === undefined) {
        return [status, response];
      }
      if (shared[name] && JSON.stringify(shared[name]) !== JSON.stringify(response)) {
        throw new Error(`${description.operationId} has a ${status} of its own.`);
      }
      shared[name] = response;
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}
