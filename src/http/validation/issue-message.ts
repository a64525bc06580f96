import * as z from "zod";

/** The names of the types that a schema can require. */
const nouns: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "an array",
  set: "an array",
  object: "an object",
  record: "an object",
  null: "null",
};

const things = (count: number | bigint, origin: string) => {
  const thing = origin === "string" ? "character" : "member";
  return `${count} ${thing}${count === 1 || count === 1n ? "" : "s"}`;
};

const isSized = (origin: string) => ["string", "array", "set", "map"].includes(origin);

/** The names that a schema accepts, keyed by the `keys` array of an issue about unknown names. */
const acceptedNames = new WeakMap<readonly string[], readonly string[]>();

/**
 * The names that are accepted in place of unknown names.
 * @param unknown the `keys` of an issue that {@link issueMessage} has processed
 */
export const knownNames = (unknown: readonly string[]): readonly string[] =>
  acceptedNames.get(unknown) ?? [];

/** Ignored fields are accepted, but must not be suggested. */
const namesOf = (schema: unknown): readonly string[] =>
  schema instanceof z.ZodObject
    ? Object.entries<z.ZodType>(schema.shape).flatMap(([name, field]) =>
        z.globalRegistry.get(field)?.description?.startsWith("Ignored") ? [] : name,
      )
    : [];

/** Maximum number of fields in an example. */
const exampleFields = 3;

/**
 * Caches the examples of schemas: a body can have a thousand issues, and building an example is
 * slow.
 */
const examples = new WeakMap<object, string>();

/** An example of an object, with its required fields. */
function exampleOf(schema: object | undefined): string {
  if (schema === undefined) {
    return "";
  }
  const example = examples.get(schema) ?? madeExampleOf(schema);
  examples.set(schema, example);
  return example;
}

function madeExampleOf(schema: object): string {
  if (schema instanceof z.ZodDiscriminatedUnion) {
    return madeExampleOf(schema.options[0] ?? schema.def);
  }
  if (!(schema instanceof z.ZodObject)) {
    return "";
  }
  const required = Object.entries<z.ZodType>(schema.shape).flatMap(([name, field]) =>
    field.safeParse(undefined).success
      ? []
      : `"${name}": ${field instanceof z.ZodLiteral ? JSON.stringify(field.value) : "…"}`,
  );
  return required.length === 0 ? "" : ` such as {${required.slice(0, exampleFields).join(", ")}}`;
}

/**
 * The default message for an issue, which follows the issue's path in a sentence. Zod's own
 * messages describe JavaScript ("received undefined") and never reach a caller.
 */
export function issueMessage(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined && issue.code !== "custom") {
    return "is required";
  }
  switch (issue.code) {
    case "invalid_type": {
      const expected = nouns[issue.expected] ?? "of another type";
      return `must be ${expected}${exampleOf(issue.inst)}${issue.input === null ? ", not null" : ""}`;
    }
    case "invalid_value":
      return `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.join(", ")}`;
    case "too_small":
      return isSized(issue.origin)
        ? `must have at least ${things(issue.minimum, issue.origin)}`
        : `must be ${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}`;
    case "too_big":
      return isSized(issue.origin)
        ? `must have at most ${things(issue.maximum, issue.origin)}`
        : `must be ${issue.inclusive === false ? "less than" : "at most"} ${issue.maximum}`;
    case "unrecognized_keys":
      acceptedNames.set(issue.keys, namesOf(issue.inst));
      return "is not a field of this request";
    case "invalid_union":
      return "must match one of the documented variants";
    default:
      return "is not valid";
  }
}
