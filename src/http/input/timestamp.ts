import * as z from "zod";
import { once } from "./once.ts";

/** Maximum length of a timestamp, in characters. */
const maximumLength = 64;

/**
 * Creates the schema of an instant, truncated to milliseconds and converted to UTC. Accepts ISO 8601
 * with an offset (`Z`, `+02:00`, `+0200`, `+02`), and only years that both JavaScript and Postgres
 * format with four digits.
 * @param rule the message for any other value
 * @param expand converts the other formats to ISO 8601, and returns any other text unchanged
 */
const instantSchema = (rule: string, expand: (text: string) => string = (text) => text) =>
  z
    .string(once(rule))
    .max(maximumLength, once(rule))
    .transform((text) =>
      expand(text)
        // V8 parses `.0119000000` as 119 milliseconds: if there are ten or more digits, it drops
        // leading zeros.
        .replace(/(\.\d{3})\d+/, "$1")
        .replace(
          /(T[\d:.]+[+-]\d{2})(\d{2})?$/,
          (_, before, minutes = "00") => `${before}:${minutes}`,
        ),
    )
    .pipe(z.iso.datetime({ offset: true, ...once(rule) }))
    .transform((text) => new Date(text))
    .refine((date) => date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999, {
      error: "must lie in the years 0001 to 9999 UTC",
    })
    .transform((date) => date.toISOString())
    .pipe(z.iso.datetime({ precision: 3 }));

/** A timestamp in a body or a response: ISO 8601 with an offset. */
export const timestamp = instantSchema(
  "must be an ISO 8601 date-time with an offset, such as 2026-04-22T15:57:37.843Z (in a URL, write + as %2B)",
).meta({ input: { format: "date-time", maxLength: maximumLength } });

/** The units of a relative instant, in milliseconds. */
const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

const relative = /^-(\d{1,5})([mhd])$/;

/**
 * Returns the instant that a text such as `-24h` or `-7d` denotes; null for any other text. The
 * number has at most five digits, and the unit is `m` (minutes), `h` (hours) or `d` (days).
 * @param now the instant that the text is relative to, in milliseconds since the epoch
 */
export function relativeInstant(text: string, now: number): string | null {
  const [, count, unit = ""] = relative.exec(text) ?? [];
  const milliseconds = units[unit];
  return milliseconds === undefined
    ? null
    : new Date(now - Number(count) * milliseconds).toISOString();
}

/**
 * An instant in a query (API contract, section 1): a {@link timestamp}, a date (midnight UTC), or a
 * time before the request ({@link relativeInstant}).
 */
export const instant = instantSchema(
  "must be an ISO 8601 date-time with an offset, such as 2026-04-22T15:57:37.843Z (in a URL, write + as %2B), a date, such as 2026-04-22, or a time before now, such as -24h or -7d",
  (text) =>
    /^\d{4}-\d\d-\d\d$/.test(text)
      ? `${text}T00:00:00Z`
      : (relativeInstant(text, Date.now()) ?? text),
).meta({ input: { maxLength: maximumLength } });
