import * as z from "zod";
import { version } from "../env.ts";
import { errorCatalogue } from "../errors/errors.ts";
import { integer, maximumInteger } from "../http/input/integer.ts";
import { maximumCursor } from "../http/list/cursor.ts";
import { acceptedRequestId } from "../http/respond.ts";
import type { Description } from "./describe.ts";

/** No data, or no parameters. */
export const emptySchema = z.object({}).meta({ id: "Empty", description: "No fields." });

// This is not a literal, because most client generators misread boolean constants.
const success = z.boolean().meta({ description: "True if the request succeeded." });

/** `meta` in examples. */
export const exampleMeta = { api_version: 1, server_version: version } as const;

/** `meta.next_cursor` in examples. */
export const exampleCursor = "k1.Vh3M0oYkq7cYj2n1";

/** An entity tag in examples. */
export const exampleTag = '"19bfa2c1d4b-2a"';

/** `meta` of every response (API contract, section 1). */
export const metaSchema = z
  .object({
    api_version: z.literal(1),
    server_version: z
      .string()
      .max(64)
      .meta({ examples: [version] }),
  })
  .meta({ id: "Meta", description: "The version that responded." });

/** `meta` of failures in examples. */
export const exampleFailureMeta = {
  ...exampleMeta,
  request_id: "1f6a3c0e-8f57-4f0e-9d8e-3c1b2a495867",
} as const;

const failureMetaSchema = metaSchema
  .extend({ request_id: z.string().regex(acceptedRequestId).max(64) })
  .meta({
    id: "FailureMeta",
    description:
      "The version that responded, and the request id to quote when you report the failure.",
  });

const paginationSchema = z
  .object({
    total_count: integer().meta({
      description:
        "The number of matching records across all pages. With a cursor, the number at the time of the first page.",
    }),
    limit: z.int().min(0).max(1000),
    offset: integer(),
    has_more: z.boolean().meta({
      description: "True if more records follow this page.",
    }),
    next_cursor: z.string().max(maximumCursor).nullable().meta({
      description:
        "The `cursor` of the next request, which must have the same parameters except `offset`. Null at the end, and with `limit=0`.",
    }),
  })
  .meta({ id: "Pagination", description: "The position of a page in its list." });

const etagsSchema = z.array(z.string().max(128)).max(1000).optional().meta({
  description:
    "The entity tag of each record, in the order of `data`, for `If-Match`. Absent with `at`, and if the list is sent in chunks.",
});

const labelsSchema = z.record(z.string().max(36), z.string().max(400)).optional().meta({
  description: "With `include=labels`: the name of each record on the page, by its id.",
});

const listMetaSchema = metaSchema
  .extend({ pagination: paginationSchema, etags: etagsSchema, labels: labelsSchema })
  .meta({
    id: "ListMeta",
    description: "The version that responded, and the page.",
  });

const taggedMetaSchema = metaSchema.extend({ etags: etagsSchema }).meta({
  id: "TaggedMeta",
  description: "The version that responded, and the entity tags of the records.",
});

const cursorMetaSchema = metaSchema
  .extend({
    next_cursor: z.string().max(maximumCursor).meta({
      description: "The `cursor` of the next request. Present even if there are no items.",
    }),
    has_more: z
      .boolean()
      .meta({ description: "True if the next request should be sent immediately." }),
    labels: labelsSchema,
  })
  .meta({
    id: "CursorMeta",
    description: "The version that responded, and the cursor for the next request.",
  });

/** Returns the element schema of an array, and any other schema unchanged. */
export const itemOf = (data: z.ZodType): z.ZodType =>
  data instanceof z.ZodArray && data.element instanceof z.ZodType ? data.element : data;

/**
 * The component name of a success response: `CredentialResponse`, `CredentialListResponse`, or
 * `CredentialArrayResponse` for the records of a bulk create.
 * @throws {Error} if neither the description nor the schema has a name
 */
export function envelopeName({ data, component }: Description<unknown>, isList: boolean): string {
  const name = component ?? z.globalRegistry.get(itemOf(data))?.id;
  if (name === undefined) {
    throw new Error("The data of a response needs an id in its metadata.");
  }
  const kind = isList ? "List" : data instanceof z.ZodArray ? "Array" : "";
  return `${name}${kind}Response`;
}

/** The possible forms of `data` in a success response. */
export type Form = "record" | "page" | "pagedRecord" | "taggedRecords" | "cursor";

const metaOf = {
  record: metaSchema,
  page: listMetaSchema,
  pagedRecord: listMetaSchema,
  taggedRecords: taggedMetaSchema,
  cursor: cursorMetaSchema,
};

/** The envelope of a success response, including its `data`. */
export const successSchema = (name: string, data: z.ZodType, form: Form) =>
  z
    .object({
      success,
      data: form === "page" ? z.array(itemOf(data)).max(maximumInteger) : data,
      meta: metaOf[form],
    })
    .meta({ id: name });

/**
 * The failure schema for each error in the catalogue. The code has a separate component, because
 * openapi-generator for Go distinguishes the variants of a union by the types of their fields.
 */
export const failureSchemas = Object.fromEntries(
  Object.entries(errorCatalogue).map(([code, { meaning, params }]) => {
    const id = failureName(code);
    const isEmpty = params instanceof z.ZodObject && Object.keys(params.shape).length === 0;
    return [
      code,
      z
        .object({
          success,
          code: z.literal(code).meta({ id: `${id}Code` }),
          error: z.string().max(999),
          params: isEmpty ? emptySchema : params.meta({ id: `${id}Params` }),
          meta: failureMetaSchema,
        })
        .meta({ id, description: meaning }),
    ];
  }),
);

/** The component name of an error. */
export function failureName(code: string): string {
  const name = pascalCase(code);
  return name.endsWith("Error") ? name : `${name}Error`;
}

/** Converts `update_credential` to `UpdateCredential`. */
export function pascalCase(name: string): string {
  const words = name.split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return words.join("");
}
