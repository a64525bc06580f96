import * as z from "zod";
import { annotate } from "./openapi/describe.ts";

/** What JSON Schema cannot say of {@link storableText} in a form that every tool understands. */
export const storableRule = "No NUL and no half of a surrogate pair.";

/** Text that Postgres can hold: no NUL, no lone surrogates (API contract, section 6). */
export const storableText = z
  .string()
  .refine((text) => !text.includes("\0") && text.isWellFormed(), {
    error: "must not contain NUL or half a surrogate pair",
  });
/* @__PURE__ */ annotate(storableText, { description: storableRule });

/**
 * Text of so many characters. Characters are code points, as for Postgres, not UTF-16 units: an
 * emoji counts once.
 */
export const textOf = (minimum: number, maximum: number) => {
  const text = storableText.check(({ value, issues }) => {
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
  });
  /* @__PURE__ */ annotate(text, {
    ...(minimum > 0 && { minLength: minimum }),
    maxLength: maximum,
    description: storableRule,
  });
  return text;
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
export const nameSchema = z.string().trim().pipe(textOf(1, 100));
/* @__PURE__ */ annotate(nameSchema, {
  minLength: 1,
  maxLength: 100,
  // What only blanks make up is no name.
  pattern: "\\S",
  description: `1 to 100 characters after blanks around them are cut. ${storableRule}`,
});

/** A UUID of any version, in either case; lower case from here on. */
export const uuidSchema = z
  .guid({ error: "must be a UUID such as 3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11" })
  .toLowerCase();

/** The path of one record. */
export const recordPath = z.object({ id: uuidSchema });

/** At most so many members of an array, each only once. */
export const setMaximum = 1000;

/**
 * A set: at most 1,000 members, none twice.
 * @param keyOf what makes two members the same
 * @param keyName the name of that within a member, for the path of the issue
 */
export const setOf = <Member extends z.ZodType>(
  member: Member,
  keyOf: (value: z.output<Member>) => string,
  keyName?: string,
) =>
  z
    .array(member)
    .max(setMaximum, { error: `must have at most ${setMaximum} members` })
    .check(({ value, issues }) => {
      const seen = new Set<string>();
      for (const [position, entry] of value.entries()) {
        const key = keyOf(entry);
        if (seen.has(key)) {
          issues.push({
            code: "custom",
            input: value,
            path: keyName === undefined ? [position] : [position, keyName],
            message: "is in the set already: send every member once",
            // So that a set around this one is judged as well: a caller gets all issues at once.
            continue: true,
          });
        }
        seen.add(key);
      }
    });

/** A set of ids. */
export const idSetSchema = setOf(uuidSchema, (id) => id);
/* @__PURE__ */ annotate(idSetSchema, { uniqueItems: true });
