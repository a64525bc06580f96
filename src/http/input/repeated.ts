import * as z from "zod";
import { choice } from "./choice.ts";

/** Some of a closed list, one for each time the parameter is given. */
export const choices = <const Value extends string>(values: readonly Value[]) =>
  z
    .custom<string | string[]>()
    .transform((value) => (Array.isArray(value) ? value : [value]))
    .pipe(
      z
        .array(choice(values))
        .max(values.length, { error: `must be given at most ${values.length} times` }),
    )
    .meta({
      input: {
        type: "array",
        items: { type: "string", enum: [...values] },
        maxItems: values.length,
      },
    });
