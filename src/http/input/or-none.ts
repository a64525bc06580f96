import * as z from "zod";

/**
 * A field that may be null or left out. Blanks alone are null (API contract, section 7).
 * @param schema of its values other than null
 */
export const orNone = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .preprocess(
      (value: z.input<Schema> | null) =>
        typeof value === "string" && value.trim() === "" ? null : value,
      schema.nullable(),
    )
    .default(null);
