import * as z from "zod";
import { once } from "./once.ts";

/** A value of a closed list. */
export const choice = <const Value extends string>(values: readonly Value[]) =>
  z.enum(values, once(`must be one of ${values.join(", ")}`));
