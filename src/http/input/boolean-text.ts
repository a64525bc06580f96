import * as z from "zod";
import { choice } from "./choice.ts";

/** A boolean in a query: `true` or `false`. */
export const booleanText = choice(["true", "false"])
  .transform((text) => text === "true")
  .pipe(z.boolean());
