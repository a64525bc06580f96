import * as z from "zod";
import { paths as describedPaths } from "../helpers/document.ts";

/** For an operation on one kind of record: the properties that generated functions depend on. */
interface Operation {
  operationId: string;
  /** True if it has query parameters. */
  hasQuery: boolean;
  /** True if it has query parameters or headers. */
  hasOptions: boolean;
  /** The component that describes its body. */
  body: string;
}

/** A kind of record, and the operations that create, read, list, update and delete one. */
export interface Kind {
  /** The group of its operations, such as `API keys`. */
  tag: string;
  create: Operation;
  read: Operation;
  list: Operation;
  update: Operation;
  delete: Operation;
  /** The body that creates a record in the demo data. */
  example: unknown;
  /**
   * The field of the create response that contains the record, such as `daemon`; null if the whole
   * response is the record.
   */
  within: string | null;
}

/** The parts of the OpenAPI document's operations that are used here. */
const operationSchema = z.object({
  operationId: z.string(),
  tags: z.array(z.string()),
  security: z.array(z.record(z.string(), z.unknown())).default([]),
  parameters: z.array(z.object({ in: z.string() })),
  requestBody: z
    .object({
      content: z.object({
        "application/json": z.object({
          schema: z.object({ $ref: z.string().default("") }),
          example: z.unknown(),
        }),
      }),
    })
    .optional(),
  responses: z.object({
    "201": z
      .object({
        content: z.object({
          "application/json": z.object({
            example: z.object({ data: z.looseObject({}).or(z.array(z.unknown())) }),
          }),
        }),
      })
      .optional(),
  }),
});

const paths = z.record(z.string(), z.record(z.string(), operationSchema)).parse(describedPaths);

const operationOf = ({
  operationId,
  parameters,
  requestBody,
}: z.output<typeof operationSchema>): Operation => ({
  operationId,
  hasQuery: parameters.some((parameter) => parameter.in === "query"),
  hasOptions: parameters.some((parameter) => parameter.in !== "path"),
  body: requestBody?.content["application/json"].schema.$ref.replace(/^.*\//, "") ?? "",
});

/**
 * Every kind of record that tenants can create and delete, derived from the OpenAPI document, so
 * that a new kind is automatically tested with every generated client.
 */
export const kinds: Kind[] = Object.entries(paths).flatMap(([path, { get, post }]) => {
  const one = paths[`${path}/{id}`];
  const create = post ?? paths[`${path}/provision`]?.["post"];
  const created = create?.responses["201"]?.content["application/json"].example.data;
  if (!(get && create && created && one?.["get"] && one["put"] && one["delete"])) {
    return [];
  }
  if (create.security.some((scheme) => "operatorKey" in scheme)) {
    return [];
  }
  const within = Object.keys(created).find((key) => /^(api_key|daemon|webhook)$/.test(key));
  return {
    tag: create.tags[0] ?? "",
    create: operationOf(create),
    read: operationOf(one["get"]),
    list: operationOf(get),
    update: operationOf(one["put"]),
    delete: operationOf(one["delete"]),
    example: create.requestBody?.content["application/json"].example,
    within: within ?? null,
  };
});

/** Converts `create_network` to `CreateNetwork`, and `API keys` to `APIKeys`. */
export const pascalCase = (name: string) =>
  name.replaceAll(/(?:^|[_ ])(\w)/g, (_, first: string) => first.toUpperCase());

/** Converts `create_network` to `createNetwork`, and `IPAddressInput` to `iPAddressInput`. */
export const camelCase = (name: string) =>
  pascalCase(name).replace(/^./, (first) => first.toLowerCase());
