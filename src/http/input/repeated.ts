import * as z from "zod";
import { choice } from "./choice.ts";

/**
 * An array with one value for each occurrence of the parameter.
 * @param maximum maximum number of occurrences
 * @param items the JSON Schema of one value
 */
export const repeated = <Schema extends z.ZodType<unknown, string>>(
  schema: Schema,
  maximum: number,
  items: Readonly<Record<string, unknown>>,
) =>
  z
    .custom<string | string[]>()
    .transform((value) => (Array.isArray(value) ? value : [value]))
    .pipe(z.array(schema).max(maximum, { error: `must be given at most ${maximum} times` }))
    .meta({ input: { type: "array", items, maxItems: maximum } });

/** Values from a fixed list, one for each occurrence of the parameter. */
export const choices = <const Value extends string>(values: readonly Value[]) =>
  repeated(choice(values), values.length, { type: "string", enum: [...values] });
