import * as z from "zod";
import { choice } from "./choice.ts";

/**
 * Values, one for each time the parameter is given.
 * @param maximum how many there may be
 * @param items the JSON Schema of one
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

/** Some of a closed list, one for each time the parameter is given. */
export const choices = <const Value extends string>(values: readonly Value[]) =>
  repeated(choice(values), values.length, { type: "string", enum: [...values] });
