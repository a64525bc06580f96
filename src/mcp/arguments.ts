import * as z from "zod";
import { eachOnce } from "../http/input/each-once.ts";
import { id } from "../http/input/id.ts";
import { integer, maximumInteger } from "../http/input/integer.ts";
import { requiredText } from "../http/input/text.ts";
import { timestamp } from "../http/input/timestamp.ts";
import { cursorText } from "../http/list/cursor.ts";
import { issueMessage } from "../http/validation/issue-message.ts";
import type { Json } from "./protocol.ts";

/** Arguments with which a tool cannot be called; the message says what to send instead. */
export class ArgumentError extends Error {
  override readonly name = "ArgumentError";
}

/** The most fields that a caller chooses. */
export const maximumFields = 40;

/** The longest text that an error quotes, in characters, and the most issues that it names. */
const maximumQuoted = 100;
const maximumIssues = 5;

export const uuid = (description: string) => id.optional().describe(description);
export const text = (description: string) => requiredText(100).optional().describe(description);
export const instant = (description: string) => timestamp.optional().describe(description);
export const one = <const Value extends string>(values: readonly Value[], description: string) =>
  z.enum(values, { error: `must be one of ${values.join(", ")}` }).describe(description);

export const network_id = uuid("Only this network: an id from list_networks.");
export const at = instant(
  "An instant of the past, such as 2026-04-01T00:00:00Z: shows what held then. Leave it out for now.",
);
export const cursor = cursorText.optional().describe("next_cursor of the result before, to go on.");
export const limit = (byDefault: number) =>
  integer(1, 50).default(byDefault).describe("How many at most.");
export const page = (byDefault: number) => ({
  limit: limit(byDefault),
  offset: integer(0, maximumInteger)
    .default(0)
    .describe("How many to skip: next_offset of the result before."),
});

const fieldName = z.string().regex(/^[a-z_]{1,64}$/, "must be the name of a field");

/** The fields that a caller chooses, each once: a repeated one would only cost its bytes again. */
export const fields = (example: string) =>
  z
    .array(fieldName)
    .max(maximumFields)
    .check(eachOnce({ of: (field: string) => field, message: "is there already: name it once" }))
    .optional()
    .meta({
      uniqueItems: true,
      description: `Which fields to show instead of the few by default, such as ${example}. Ask for no more than you need.`,
    });

/** The arguments of a tool in JSON Schema, for a model. */
export function jsonSchemaOf(input: z.ZodObject): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      Object.assign(jsonSchema, z.globalRegistry.get(zodSchema)?.["input"]);
      delete jsonSchema["input"];
      if (jsonSchema.format !== undefined) {
        // The format says it, in fewer tokens.
        delete jsonSchema.pattern;
      }
    },
  });
  return schema;
}

const quoted = (sent: string) =>
  JSON.stringify(
    sent.length > maximumQuoted ? `${sent.slice(0, maximumQuoted - 1).toWellFormed()}…` : sent,
  );

/** Models send a port as a number, too: a number stands for its digits where only these suit. */
const digitsOf = (schema: z.ZodType | undefined, value: unknown): unknown =>
  typeof value === "number" && schema?.safeParse(String(value)).success ? String(value) : value;

/**
 * The arguments of a call. Every bound that {@link jsonSchemaOf} states is one of the same schema.
 * @throws {ArgumentError} where they do not suit
 */
export function parsed<Input extends z.ZodObject>(input: Input, sent: Json): z.output<Input> {
  const shape: Readonly<Record<string, z.ZodType>> = input.shape;
  const suited = Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [
      name,
      digitsOf(Object.hasOwn(shape, name) ? shape[name] : undefined, value),
    ]),
  );
  const result = input.safeParse(suited, { error: issueMessage });
  if (result.success) {
    return result.data;
  }
  const sentences = result.error.issues.slice(0, maximumIssues).map((issue) => {
    if (issue.code === "unrecognized_keys") {
      const names = Object.keys(input.shape).join(", ");
      return `There is no argument ${quoted(issue.keys[0] ?? "")}: the arguments are ${names}.`;
    }
    const [name, position] = issue.path;
    const place = position === undefined ? String(name) : `${String(name)}[${String(position)}]`;
    return issue.path.length === 0 ? issue.message : `${place} ${issue.message}.`;
  });
  throw new ArgumentError(sentences.join(" "));
}

/**
 * The fields to show.
 * @param known all that the records have
 * @throws {ArgumentError} where one is none of theirs
 */
export function chosenFields(
  chosen: readonly string[] | undefined,
  byDefault: readonly string[],
  known: readonly string[],
): readonly string[] {
  if (chosen === undefined || chosen.length === 0) {
    return byDefault;
  }
  const unknown = chosen.find((field) => !known.includes(field));
  if (unknown !== undefined) {
    throw new ArgumentError(
      `There is no field ${quoted(unknown)}. The fields are ${known.join(", ")}.`,
    );
  }
  return chosen;
}
