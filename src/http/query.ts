import * as z from "zod";
import { annotate } from "./openapi/describe.ts";

const once = (what: string) => ({
  error: ({ input }: { input?: unknown }) =>
    Array.isArray(input) ? "must be given only once" : what,
});

/** A whole number in plain decimal digits: `Number` would take "", "1e3" and "0x10" as well. */
const integerParameter = (minimum: number, maximum: number) => {
  const what = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .string(once(what))
    .regex(/^(0|[1-9]\d{0,9})$/, { error: what })
    .transform(Number)
    .pipe(z.int().min(minimum, { error: what }).max(maximum, { error: what }));
};

/** Where a page lies (API contract, section 4): `limit` 0 means everything. */
export const pageQuery = {
  limit: integerParameter(0, 1000).default(50),
  offset: integerParameter(0, 2_147_483_647).default(0),
};

/** One of a closed list. */
export const choiceParameter = <const Value extends string>(values: readonly Value[]) =>
  z.enum(values, once(`must be one of ${values.join(", ")}`));

/** A UUID of any version, in either case; lower case from here on. */
export const uuidParameter = z
  .guid(once("must be a UUID such as 3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11"))
  .toLowerCase();

/** The longest timestamp that is read, in characters. */
const maxTimestamp = 64;

const notTimestamp = once(
  "must be an ISO 8601 date-time with an offset, such as 2026-04-22T15:57:37.843Z (write + as %2B)",
);

/**
 * A timestamp: ISO 8601 with an offset (`Z`, `+02:00`, `+0200`, `+02`), cut to milliseconds, in UTC.
 * Only years that both JavaScript and Postgres write with four digits.
 */
export const instantParameter = z
  .string(notTimestamp)
  .max(maxTimestamp, notTimestamp)
  .transform((text) =>
    text
      // V8 reads `.0119000000` as 119 milliseconds: from ten digits on it loses zeros in front.
      .replace(/(\.\d{3})\d+/, "$1")
      .replace(/(T.+[+-]\d{2})(\d{2})?$/, (_, before, minutes = "00") => `${before}:${minutes}`),
  )
  .pipe(z.iso.datetime({ offset: true, ...notTimestamp }))
  .transform((text) => new Date(text))
  .refine((instant) => instant.getUTCFullYear() >= 1 && instant.getUTCFullYear() <= 9999, {
    error: "must lie in the years 0001 to 9999 UTC",
  })
  .transform((instant) => instant.toISOString());
/* @__PURE__ */ annotate(instantParameter, { format: "date-time", maxLength: maxTimestamp });
