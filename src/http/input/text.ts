import * as z from "zod";
import { once } from "./once.ts";

/**
 * The rule for {@link storableText} in words, since not every tool understands the equivalent JSON
 * Schema pattern.
 */
export const storableRule = "No NUL and no lone surrogates.";

/**
 * Text that Postgres can store: without NUL and without lone surrogates (API contract, section 6).
 */
export const storableText = z
  .string()
  .refine((text) => !text.includes("\0") && text.isWellFormed(), {
    error: "must not contain NUL or lone surrogates",
  })
  .meta({ description: storableRule });

/**
 * Text with a minimum and maximum length. Lengths are in code points, as in Postgres, not UTF-16
 * units: most emoji count as one character.
 */
export const textOf = (minimum: number, maximum: number) => {
  return storableText
    .check(({ value, issues }) => {
      const length = codePoints(value, maximum);
      const origin = "string";
      if (length < minimum) {
        const message = `must have at least ${minimum} ${minimum === 1 ? "character" : "characters"}`;
        issues.push({ code: "too_small", minimum, origin, input: value, message });
      }
      if (length > maximum) {
        const message = `must have at most ${maximum} characters`;
        issues.push({ code: "too_big", maximum, origin, input: value, message });
      }
    })
    .meta({
      ...(minimum > 0 && { minLength: minimum }),
      maxLength: maximum,
      description: storableRule,
    });
};

/** Counts code points, but stops counting above `maximum`. */
function codePoints(text: string, maximum: number): number {
  let count = 0;
  for (let unit = 0; unit < text.length && count <= maximum; count++) {
    unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
  }
  return count;
}

/** Text with 1 to `maximum` characters after trimming. */
export const requiredText = (maximum: number) =>
  z
    .string()
    .trim()
    .pipe(textOf(1, maximum))
    .meta({
      minLength: 1,
      maxLength: maximum,
      // At least one non-whitespace character.
      pattern: "\\S",
      description: `1 to ${maximum} characters after trimming. ${storableRule}`,
    });

/** A name: 1 to 100 characters after trimming. */
export const name = requiredText(100);

/** Search text of 1 to `maximum` characters, trimmed. */
export const searchTextOf = (maximum: number) =>
  z
    .string(once("must be text"))
    .trim()
    .pipe(textOf(1, maximum))
    .meta({ minLength: 1, maxLength: maximum, pattern: "\\S" });

/** The search text of a list. */
export const searchText = searchTextOf(100);

/** Optional text. Null, blank text and absence become null (API contract, section 7). */
export const optionalText = (maximum: number) =>
  z
    .string()
    .trim()
    .meta({ maxLength: maximum })
    .pipe(textOf(0, maximum))
    .transform((text) => (text === "" ? null : text))
    .pipe(z.string().max(maximum).nullable())
    .nullable()
    .default(null)
    .meta({
      description: `At most ${maximum} characters, or null. ${storableRule}`,
    });
