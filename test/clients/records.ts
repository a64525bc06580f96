import * as z from "zod";
import { paths as describedPaths } from "../helpers/document.ts";

/** One of the operations on a kind of records, as far as generated functions depend on it. */
interface Operation {
  operationId: string;
  /** Whether it takes query parameters, and these or headers. */
  hasQuery: boolean;
  hasOptions: boolean;
  /** The component of its body. */
  body: string;
}

/** A kind of records, and what creates, reads, lists, updates and deletes one. */
export interface Kind {
  /** The group of its operations: `API keys`. */
  tag: string;
  create: Operation;
  read: Operation;
  list: Operation;
  update: Operation;
  delete: Operation;
  /** What creates one in the demo data. */
  example: unknown;
  /** Where the record is in the response of its creation, such as `daemon`; null: the whole. */
  within: string | null;
}

/** What is needed of the document's operations. */
const operationSchema = z.object({
  operationId: z.string(),
  tags: z.array(z.string()),
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
 * Every kind of records that callers create and delete, by the document alone: a kind that is new is
 * called by every generated client.
 */
export const kinds: Kind[] = Object.entries(paths).flatMap(([path, { get, post }]) => {
  const one = paths[`${path}/{id}`];
  const create = post ?? paths[`${path}/provision`]?.["post"];
  const created = create?.responses["201"]?.content["application/json"].example.data;
  if (!(get && create && created && one?.["get"] && one["put"] && one["delete"])) {
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

/** `create_network` or `API keys` as `CreateNetwork` and `APIKeys`. */
export const pascalCase = (name: string) =>
  name.replaceAll(/(?:^|[_ ])(\w)/g, (_, first: string) => first.toUpperCase());

/** `create_network` as `createNetwork`, `IPAddressInput` as `iPAddressInput`. */
export const camelCase = (name: string) =>
  pascalCase(name).replace(/^./, (first) => first.toLowerCase());
