import * as z from "zod";

export const keyPattern = /^([!#-~][!-~]{0,254}|"[!-~]{1,255}")$/;

/**
 * Idempotency-Key (API contract, section 7): 1 to 255 visible ASCII characters, bare or quoted. A
 * value that starts with a quote must be quoted, so that no key is ambiguous.
 */
export const idempotencyKey = z
  .string()
  .regex(keyPattern, {
    error: "must be 1 to 255 visible ASCII characters, bare or in double quotes",
  })
  .transform((key) => /^"(.+)"$/.exec(key)?.[1] ?? key)
  .optional();
