import * as z from "zod";

/**
 * An optional field. Null, blank text and absence become null (API contract, section 7).
 * @param schema the schema of non-null values
 */
export const orNone = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .preprocess(
      (value: z.input<Schema> | null) =>
        typeof value === "string" && value.trim() === "" ? null : value,
      schema.nullable(),
    )
    .default(null);
