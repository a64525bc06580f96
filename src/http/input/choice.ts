import * as z from "zod";
import { once } from "./once.ts";

/** One of a fixed list of values. */
export const choice = <const Value extends string>(values: readonly Value[]) =>
  z.enum(values, once(`must be one of ${values.join(", ")}`));
