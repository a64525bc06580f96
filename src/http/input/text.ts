import * as z from "zod";

/** What JSON Schema cannot say of {@link storableText} in a form that every tool understands. */
export const storableRule = "No NUL and no half of a surrogate pair.";

/** Text that Postgres can hold: no NUL, no lone surrogates (API contract, section 6). */
export const storableText = z
  .string()
  .refine((text) => !text.includes("\0") && text.isWellFormed(), {
    error: "must not contain NUL or half a surrogate pair",
  })
  .meta({ description: storableRule });

/**
 * Text of so many characters. Characters are code points, as for Postgres, not UTF-16 units: an
 * emoji counts once.
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

/** How many code points a text has, or a number above `maximum` if it has more. */
function codePoints(text: string, maximum: number): number {
  let count = 0;
  for (let unit = 0; unit < text.length && count <= maximum; count++) {
    unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
  }
  return count;
}

/** A name: 1 to 100 characters after trimming. */
export const name = z
  .string()
  .trim()
  .pipe(textOf(1, 100))
  .meta({
    minLength: 1,
    maxLength: 100,
    // Blanks alone are not a name.
    pattern: "\\S",
    description: `1 to 100 characters after trimming. ${storableRule}`,
  });

/** What a person types to find something. */
export const searchText = z
  .string({ error: "must be given only once" })
  .trim()
  .pipe(textOf(1, 100));
