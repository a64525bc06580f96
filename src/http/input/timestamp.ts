import * as z from "zod";
import { once } from "./once.ts";

/** The longest timestamp that is read, in characters. */
const maxTimestamp = 64;

const rule = once(
  "must be an ISO 8601 date-time with an offset, such as 2026-04-22T15:57:37.843Z (in a URL, write + as %2B)",
);

/**
 * A timestamp: ISO 8601 with an offset (`Z`, `+02:00`, `+0200`, `+02`), cut to milliseconds, in UTC.
 * Only years that both JavaScript and Postgres write with four digits.
 */
export const timestamp = z
  .string(rule)
  .max(maxTimestamp, rule)
  .transform((text) =>
    text
      // V8 reads `.0119000000` as 119 milliseconds: from ten digits on it loses zeros in front.
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
