import * as z from "zod";
import { maximumRecords } from "../http/verbs/create.ts";
import { changedFields } from "./changed-fields.ts";
import { convert } from "./components.ts";
import type { Operation } from "./describe.ts";
import { envelopeName, failureSchemas, itemOf, pascalCase, successSchema } from "./envelope.ts";
import { named } from "./fold.ts";
import { requestHeaders } from "./headers.ts";
import type { Json } from "./json-schema.ts";
import { Patches } from "./patches.ts";
import { failureUnions, formOf, isList, responsesOf } from "./responses.ts";
import { pageParameters } from "./texts.ts";
import { buildWebhooks, type MessageDescription } from "./webhooks.ts";

/** The operations by path and method, the webhooks, and the components that they refer to. */
export function buildOperations(
  operations: readonly Operation[],
  messages: readonly MessageDescription<unknown>[],
) {
  const successes = envelopesOf(operations);
  const parameters = operations.flatMap(({ param, query }) =>
    [param, query].flatMap((part) => Object.values(fieldsOf(part))),
  );
  const bodies = operations.flatMap(({ json, patched }) => patched ?? json ?? []);
  const schemas = convert(
    [...parameters, ...bodies],
    [
      ...new Set(successes.values()),
      ...parameters,
      ...Object.values(failureSchemas),
      ...messages.map(({ message }) => message),
    ],
  );
  const patches = new Patches(schemas.components);
  const bodyOf = ({ json, patched }: Operation): Json | undefined => {
    const name = json && z.globalRegistry.get(itemOf(json))?.id;
    if (!patched || name === undefined) {
      return json && schemas.request(json);
    }
    const body = schemas.request(patched);
    return json instanceof z.ZodArray
      ? {
          ...{ type: "array", minItems: 1, maxItems: maximumRecords },
          items: patches.withId(`Identified${name}`, body),
        }
      : patches.of(name, body);
  };
  const paths: Record<string, Record<string, Json>> = {};
  for (const [operation, success] of successes) {
    const { method, path, role, description, json } = operation;
    const { operationId, tag, summary, example } = description;
    const body = bodyOf(operation);
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        operationId,
        tags: [tag],
        summary,
        description: `${description.description}\n\n${neededKey(role)}`,
        security: securityOf(role),
        parameters: [
          ...parametersOf(operation, "path", schemas),
          ...parametersOf(operation, "query", schemas),
          ...operation.requestHeaders.map((name) => requestHeaders[name]),
        ],
        ...(body && {
          requestBody: requestBody(
            body,
            { ...operation, isRequired: !json?.safeParse({}).success },
            example.body,
          ),
        }),
        responses: responsesOf(operation, schemas.response(success)),
      },
    };
  }
  const components = {
    ...schemas.components,
    ChangedFields: changedFields(schemas.components),
    ...patches.components,
    ...failureUnions(operations),
  };
  return {
    paths,
    webhooks: buildWebhooks(messages, schemas.response),
    schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function neededKey(role: Operation["role"]): string {
  if (role === null) {
    return "Needs no key.";
  }
  return role === "Operator" ? "Needs an **operator key**." : `Minimum role: **${role}**.`;
}

function securityOf(role: Operation["role"]): Json[] {
  if (role === null) {
    return [];
  }
  // In OpenAPI 3.1, these are the roles that are required for a scheme without scopes.
  return role === "Operator" ? [{ operatorKey: [] }] : [{ apiKey: [role] }];
}

/**
 * The success envelope of each operation, or the operation's data if it has no envelope. Operations
 * with the same `data` share one.
 * @throws {Error} if two different envelopes have the same name
 */
function envelopesOf(operations: readonly Operation[]): Map<Operation, z.ZodType> {
  const envelopes = new Map<string, { data: z.ZodType; schema: z.ZodType }>();
  return new Map(
    operations.map((operation) => {
      const { data } = operation.description;
      if (operation.bareType) {
        return [operation, data];
      }
      const name = envelopeName(operation.description, isList(operation));
      const envelope = envelopes.get(name) ?? {
        data: itemOf(data),
        schema: successSchema(name, data, formOf(operation)),
      };
      if (envelope.data !== itemOf(data)) {
        throw new Error(`Two different responses would be named ${name}.`);
      }
      envelopes.set(name, envelope);
      return [operation, envelope.schema];
    }),
  );
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
      // The validator reads text, because URLs contain only text, but the parameter is documented
      // as a number or a boolean.
      const parsed = schemas.response(field);
      const isParsed = parsed["type"] === "integer" || parsed["type"] === "boolean";
      const schema = isParsed ? parsed : schemas.request(field);
      const texts = description.parameters?.[name] ?? pageParameters[name];
      const { component = pascalCase(name), example } = texts ?? {};
      const isRequired = !field.safeParse(undefined).success;
      return named("parameters", `${component}${pascalCase(place)}Parameter`, {
        name,
        in: place,
        required: isRequired,
        description: texts?.description,
        schema,
        ...(example !== undefined && {
          // The API reference displays the example of an optional parameter, but does not send it.
          examples: {
            default: {
              value: schema["type"] === "array" ? [example] : example,
              ...(place === "query" && !isRequired && { "x-disabled": true }),
            },
          },
        }),
      });
    },
  );

const requestBody = (
  schema: Json,
  {
    isRequired,
    jsonTypes = [],
    otherForm,
  }: Pick<Operation, "jsonTypes" | "otherForm"> & { isRequired: boolean },
  example: unknown,
): Json => ({
  required: isRequired,
  content: {
    ...Object.fromEntries(jsonTypes.map((mediaType) => [mediaType, { schema, example }])),
    ...Object.fromEntries(
      (otherForm?.mediaTypes ?? []).map((mediaType) => [
        mediaType,
        { schema: { type: "string", maxLength: otherForm?.maxBytes } },
      ]),
    ),
  },
});
