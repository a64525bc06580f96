import * as z from "zod";
import { once } from "../input/once.ts";
import { nearest } from "../not-found/nearest.ts";
import { IssueList, validationFailed } from "../validation/issues.ts";
import { onePiece, type RecordSyntax } from "./formats/text.ts";

/** Maximum length of the `fields` parameter, in characters. */
const maximumLength = 1000;

/** Returns the names of the fields of records with this schema. */
export const fieldNames = (schema: z.core.$ZodType): string[] =>
  schema instanceof z.ZodObject
    ? Object.keys(schema.shape)
    : schema instanceof z.ZodUnion
      ? [...new Set(schema.options.flatMap(fieldNames))]
      : [];

/**
 * Creates the schema of `fields` (API contract, section 4): names of fields, separated by commas.
 * @param record the schema of the list's records
 */
export function fieldsQuery(record: z.ZodType) {
  const known = fieldNames(record);
  return z
    .string(once("must be names of fields, separated by commas"))
    .max(maximumLength)
    .transform((text, { addIssue }) => {
      const names = text.split(",");
      const refuse = (message: string) => addIssue({ code: "custom", message, input: text });
      for (const [position, name] of names.entries()) {
        if (!known.includes(name)) {
          const meant = nearest(name, known);
          refuse(
            `must be names of fields, separated by commas: ${JSON.stringify(name)} is not a field of these records; ${
              meant === undefined ? `the fields are ${known.join(", ")}` : `did you mean ${meant}`
            }`,
          );
          break;
        }
        if (names.indexOf(name) !== position) {
          refuse(`contains ${name} twice: send each name once`);
          break;
        }
      }
      return names;
    });
}

/**
 * Checks that a list has the chosen fields, since other parameters can omit some of them.
 * @param schema the schema of the records that the list returns
 * @throws {ApiError} 400
 */
export function requireFields(schema: z.ZodType, fields: readonly string[] = []): void {
  const known = fieldNames(schema);
  const omitted = fields.find((name) => !known.includes(name));
  if (omitted !== undefined) {
    const message = `contains ${omitted}, which include_children=false omits: send only one of them`;
    throw validationFailed(IssueList.of({ path: "query.fields", message, code: "custom" }));
  }
}

/** Returns a copy of a record that has only these fields, in the order of the record. */
const only = (fields: ReadonlySet<string>, record: unknown) =>
  Object.fromEntries(Object.entries(Object(record)).filter(([name]) => fields.has(name)));

/**
 * Restricts records to some of their fields. The type remains that of whole records: only the caller
 * that chose the fields knows which ones are absent.
 * @param fields the names of the fields; undefined for all fields
 */
export function chosenFields<Item>(items: Item[], fields: readonly string[] | undefined): Item[] {
  if (fields === undefined) {
    return items;
  }
  const chosen = new Set(fields);
  return items.map((item) => only(chosen, item) as Item);
}

/**
 * Restricts the syntax of records to some of their fields.
 * @param fields the names of the fields; undefined for all fields
 */
export function withFields(
  syntax: RecordSyntax<unknown>,
  fields: readonly string[] | undefined,
): RecordSyntax<unknown> {
  if (fields === undefined) {
    return syntax;
  }
  const chosen = new Set(fields);
  return {
    records: (items, isFirst) =>
      syntax.records(
        items.map((item) => only(chosen, item)),
        isFirst,
      ),
    large: ({ head, parts }, isFirst) => {
      const own = only(chosen, head);
      const kept = parts.filter(({ field }) => chosen.has(field));
      return kept.length === 0
        ? onePiece(syntax.records([own], isFirst))
        : syntax.large({ head: own, parts: kept }, isFirst);
    },
  };
}
