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

/** The names that a schema takes, by the issue about those that it does not. */
const known = new WeakMap<readonly string[], readonly string[]>();

/**
 * The names that may stand where an issue found others.
 * @param unknown the `keys` of the issue, as {@link issueMessage} has seen them
 */
export const knownNames = (unknown: readonly string[]): readonly string[] =>
  known.get(unknown) ?? [];

/** What is ignored may be sent, but is nothing to choose. */
const namesOf = (schema: unknown): readonly string[] =>
  schema instanceof z.ZodObject
    ? Object.entries<z.ZodType>(schema.shape).flatMap(([name, field]) =>
        z.globalRegistry.get(field)?.description?.startsWith("Ignored") ? [] : name,
      )
    : [];

/** The most fields of an example. */
const exampleFields = 3;

/** The examples of schemas: a body can be wrong in a thousand places, and to make one takes time. */
const examples = new WeakMap<object, string>();

/** What an object may look like, by the fields that it must have. */
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
 * What an issue says when its schema has no sentence of its own: the end of a sentence that begins
 * with the path. Zod's sentences speak of JavaScript ("received undefined"), and never reach a caller.
 */
export function issueMessage(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined && issue.code !== "custom") {
    return "is required";
  }
  switch (issue.code) {
    case "invalid_type": {
      const wanted = nouns[issue.expected] ?? "of another type";
      return `must be ${wanted}${exampleOf(issue.inst)}${issue.input === null ? ", not null" : ""}`;
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
      known.set(issue.keys, namesOf(issue.inst));
      return "is not a field of this request";
    case "invalid_union":
      return "must have one of the forms in the documentation";
    default:
      return "is not valid";
  }
}
