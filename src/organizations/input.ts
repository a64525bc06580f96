import * as z from "zod";
import { integer } from "../http/input/integer.ts";
import { name } from "../http/input/text.ts";

/** The required format of the body. */
export const form =
  'the new name as one JSON string, such as "Acme", or as {"name": "Acme"}, and nothing else';

const text = z.string().meta({ minLength: 1, maxLength: 100 });
const object = z.strictObject({ name: text }).meta({
  id: "OrganizationName",
  description: "The new name, for tools that cannot send a bare JSON string.",
});

/**
 * The new name (API contract, section 5): a bare string, or an object for tools that cannot send a
 * bare string. Both are unusual, so every issue shows both forms.
 */
export const renameSchema = z
  .xor([text, object], { error: `must be ${form}` })
  .check(({ value, issues }) => {
    const [sent, path] = typeof value === "string" ? [value, []] : [value.name, ["name"]];
    for (const issue of name.safeParse(sent).error?.issues ?? []) {
      issues.push({ ...issue, path, input: undefined, message: `${issue.message}: send ${form}` });
    }
  })
  .transform((value) => ({
    id: undefined,
    name: (typeof value === "string" ? value : value.name).trim(),
  }))
  .meta({ id: "OrganizationRename", description: "The new name." });

/** History retention (API contract, section 11). */
export const historyInput = z
  .strictObject({
    history_days: integer(1, 3650).nullable().meta({
      description: "The minimum number of days for which history is kept; null for unlimited.",
    }),
  })
  .meta({ id: "OrganizationHistory", description: "History retention." });
