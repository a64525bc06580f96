import * as z from "zod";
import { once } from "./once.ts";

/** Maximum length of a timestamp, in characters. */
const maxTimestamp = 64;

const rule = once(
  "must be an ISO 8601 date-time with an offset, such as 2026-04-22T15:57:37.843Z (in a URL, write + as %2B)",
);

/**
 * A timestamp: ISO 8601 with an offset (`Z`, `+02:00`, `+0200`, `+02`), truncated to milliseconds
 * and converted to UTC. Accepts only years that both JavaScript and Postgres format with four
 * digits.
 */
export const timestamp = z
  .string(rule)
  .max(maxTimestamp, rule)
  .transform((text) =>
    text
      // V8 parses `.0119000000` as 119 milliseconds: if there are ten or more digits, it drops
      // leading zeros.
      .replace(/(\.\d{3})\d+/, "$1")
      .replace(/(T.+[+-]\d{2})(\d{2})?$/, (_, before, minutes = "00") => `${before}:${minutes}`),
  )
  .pipe(z.iso.datetime({ offset: true, ...rule }))
  .transform((text) => new Date(text))
  .refine((date) => date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999, {
    error: "must lie in the years 0001 to 9999 UTC",
  })
  .transform((date) => date.toISOString())
  .pipe(z.iso.datetime({ precision: 3 }))
  .meta({ input: { format: "date-time", maxLength: maxTimestamp } });
