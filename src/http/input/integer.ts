import * as z from "zod";
import { once } from "./once.ts";

/** The largest value of Postgres' `integer`. */
export const maximumInteger = 2_147_483_647;

/** A whole number from `minimum` to `maximum`. */
export const integer = (minimum = 0, maximum = maximumInteger) => {
  const rule = `must be a whole number from ${minimum} to ${maximum}`;
  return z.int().min(minimum, { error: rule }).max(maximum, { error: rule });
};

/**
 * A whole number from 0 to 2^53 - 1, the largest that JSON numbers represent exactly in every
 * language.
 */
export const largeInteger = integer(0, Number.MAX_SAFE_INTEGER).meta({ format: "int64" });

/** A whole number in plain decimal digits. `Number` would also accept "", "1e3" and "0x10". */
export const integerText = (minimum: number, maximum = maximumInteger) => {
  const rule = once(`must be a whole number from ${minimum} to ${maximum}`);
  return z
    .string(rule)
    .regex(/^(0|[1-9]\d{0,9})$/, rule)
    .transform(Number)
    .pipe(integer(minimum, maximum));
};
