import * as z from "zod";
import { eachOnce } from "../http/input/each-once.ts";
import { id } from "../http/input/id.ts";
import { integer, maximumInteger } from "../http/input/integer.ts";
import { requiredText } from "../http/input/text.ts";
import { instant as queryInstant } from "../http/input/timestamp.ts";
import { cursorText } from "../http/list/cursor.ts";
import { issueMessage } from "../http/validation/issue-message.ts";
import type { Json } from "./protocol.ts";

/** Invalid arguments for a tool. The message describes valid ones. */
export class ArgumentError extends Error {
  override readonly name = "ArgumentError";
}

/** Maximum number of fields that a caller can choose. */
export const maximumFields = 40;

/** Maximum length of quoted text, in characters, and maximum number of issues in an error. */
const maximumQuoted = 100;
const maximumIssues = 5;

export const uuid = (description: string) => id.optional().describe(description);
export const text = (description: string) => requiredText(100).optional().describe(description);
export const instant = (description: string) => queryInstant.optional().describe(description);
export const one = <const Value extends string>(values: readonly Value[], description: string) =>
  z.enum(values, { error: `must be one of ${values.join(", ")}` }).describe(description);

export const network_id = uuid("Only this network: an id from list_networks.");
export const at = instant(
  "An instant in the past, such as 2026-04-01T00:00:00Z: shows the state at that time. Omit it for the current state.",
);
export const cursor = cursorText
  .optional()
  .describe("next_cursor of the previous result, for the next page.");
export const limit = (byDefault: number) =>
  integer(1, 50).default(byDefault).describe("Maximum number of results.");
export const page = (byDefault: number) => ({
  limit: limit(byDefault),
  offset: integer(0, maximumInteger)
    .default(0)
    .describe("Number of results to skip: next_offset of the previous result."),
});

const fieldName = z.string().regex(/^[a-z_]{1,64}$/, "must be the name of a field");

/** The fields that a caller chooses. Duplicates are rejected, since they would only waste bytes. */
export const fields = (example: string) =>
  z
    .array(fieldName)
    .max(maximumFields)
    .check(eachOnce({ of: (field: string) => field, message: "is repeated: send it once" }))
    .optional()
    .meta({
      uniqueItems: true,
      description: `The fields to return instead of the default ones, such as ${example}. Request only the fields you need.`,
    });

/** The JSON Schema of a tool's arguments, for a model. */
export function jsonSchemaOf(input: z.ZodObject): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      Object.assign(jsonSchema, z.globalRegistry.get(zodSchema)?.["input"]);
      delete jsonSchema["input"];
      if (jsonSchema.format !== undefined) {
        // The pattern is redundant: the format expresses the same constraint in fewer tokens.
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

/**
 * Models sometimes send a port as a number. Converts it to text if the schema accepts only text.
 */
const digitsOf = (schema: z.ZodType | undefined, value: unknown): unknown =>
  typeof value === "number" && schema?.safeParse(String(value)).success ? String(value) : value;

/**
 * Parses the arguments of a call with the schema from which {@link jsonSchemaOf} derives the
 * documented bounds.
 * @throws {ArgumentError} if they are invalid
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
      return `Unknown argument ${quoted(issue.keys[0] ?? "")}: the arguments are ${names}.`;
    }
    const [name, position] = issue.path;
    const place = position === undefined ? String(name) : `${String(name)}[${String(position)}]`;
    const hint =
      name === "id" && "name" in input.shape ? "; send a name as name, or search with find" : "";
    return issue.path.length === 0 ? issue.message : `${place} ${issue.message}${hint}.`;
  });
  throw new ArgumentError(sentences.join(" "));
}

/**
 * Validates the chosen fields, or returns the default fields.
 * @param known all fields of the records
 * @throws {ArgumentError} if a field is unknown
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
      `Unknown field ${quoted(unknown)}. The fields are ${known.join(", ")}.`,
    );
  }
  return chosen;
}
