import * as z from "zod";
import packageJson from "../../package.json" with { type: "json" };
import { errorCatalogue } from "../errors.ts";
import { integer } from "../http/input/integer.ts";

/** `meta` in examples. */
export const exampleMeta = { api_version: 1, server_version: packageJson.version } as const;

/** `meta` of every answer (API contract, section 1). */
export const metaSchema = z
  .object({
    api_version: z.literal(1),
    server_version: z
      .string()
      .max(64)
      .meta({ examples: [packageJson.version] }),
  })
  .meta({ id: "Meta", description: "Which version answered." });

const paginationSchema = z
  .object({
    total_count: integer().meta({
      description: "How many records match, on all pages.",
    }),
    limit: z.int().min(0).max(1000),
    offset: integer(),
    has_more: z.boolean().meta({
      description: "Whether records follow after this page.",
    }),
  })
  .meta({ id: "Pagination", description: "Where a page lies in its list." });

const listMetaSchema = metaSchema.extend({ pagination: paginationSchema }).meta({
  id: "ListMeta",
  description: "Which version answered, and which page.",
});

/** The envelope of a success around its `data`. */
export const successSchema = (data: z.ZodType) =>
  z.object({
    success: z.literal(true),
    data,
    meta: data instanceof z.ZodArray ? listMetaSchema : metaSchema,
  });

/** What an error of the catalogue answers. */
export const failureSchemas = Object.fromEntries(
  Object.entries(errorCatalogue).map(([code, { meaning, params }]) => [
    code,
    z
      .object({
        success: z.literal(false),
        code: z.literal(code),
        error: z.string().max(999),
        params,
        meta: metaSchema,
      })
      .meta({ id: failureName(code), description: meaning }),
  ]),
);

/** The name of an error's component. */
export function failureName(code: string): string {
  const words = code.split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return words.at(-1) === "Error" ? words.join("") : `${words.join("")}Error`;
}
