import * as z from "zod";
import type { OpensPart } from "../source.ts";
import { type NextText, type RecordSyntax, textOfRecords } from "./text.ts";

/** A record, or what lies in one, as far as its cells go. */
type Fields = Readonly<Record<string, unknown>>;

/** What a member of a list is called in the one cell that the list has. */
type LabelOf = (member: Fields) => string;

const labels = new WeakMap<object, LabelOf>();

/** Says what a record is called where it is a member of a list in another one (API contract, section 13). */
export function labelBy(schema: z.ZodType, labelOf: LabelOf): void {
  labels.set(schema, labelOf);
}

/** A column of a table: a field of the records, or one of an object in them. */
interface Column {
  name: string;
  path: readonly string[];
  /** Of a list, what its members are called. */
  labelOf: LabelOf | undefined;
  /** What an empty list is: where null means something else, it shows. */
  empty: "" | "[]";
}

/** A schema without what only says that a value may be absent, or how it is written. */
function bare(schema: z.core.$ZodType): { schema: z.core.$ZodType; isNullable: boolean } {
  if (schema instanceof z.ZodNullable) {
    return { schema: bare(schema.unwrap()).schema, isNullable: true };
  }
  if (schema instanceof z.ZodOptional) {
    return bare(schema.unwrap());
  }
  return schema instanceof z.ZodPipe ? bare(schema.out) : { schema, isNullable: false };
}

function columnsIn(field: z.core.$ZodType, path: readonly string[]): Column[] {
  const { schema, isNullable } = bare(field);
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([name, own]) => columnsIn(own, [...path, name]));
  }
  if (schema instanceof z.ZodUnion) {
    const columns = schema.options.flatMap((option) => columnsIn(option, path));
    return [...new Map(columns.map((column) => [column.name, column])).values()];
  }
  const labelOf = schema instanceof z.ZodArray ? labels.get(schema.element) : undefined;
  return [{ name: path.join("."), path, labelOf, empty: isNullable ? "[]" : "" }];
}

const known = new WeakMap<z.ZodType, readonly Column[]>();

/** The columns of records, by their schema. */
function columnsOf(schema: z.ZodType): readonly Column[] {
  const columns = known.get(schema) ?? columnsIn(schema, []);
  known.set(schema, columns);
  return columns;
}

/**
 * The beginning of each part of a text that a spreadsheet may run as a formula, if it splits there: at a comma, a
 * semicolon, a tab or a break of lines. Some drop spaces, quotes and what does not show before they look, and take
 * full-width signs for the same. `'` is marked too, so that every mark can be told from the text.
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
const formulas =
  /(?<=^|[,;\t\n\v\f\r\u0085\u2028\u2029])(?='|[[\s\p{C}"]--[\t\n\v\f\r\u0085\u2028\u2029]]*[=+\-@＝＋－＠])|^(?=[\t\n\r])/gv;

/** A text with an apostrophe in front of each part that may else be a formula. */
const defused = (text: string): string => text.replace(formulas, "'");

const separator = "; ";

/** What a cell holds, before it is quoted. */
function contentOf(value: unknown, column: Column): string {
  const { labelOf, empty } = column;
  if (value === null || value === undefined) {
    return "";
  }
  if (!Array.isArray(value)) {
    return typeof value === "string" ? defused(value) : String(value);
  }
  if (value.length === 0) {
    return empty;
  }
  const isPlain = value.every((member) => typeof member !== "object");
  return defused(labelOf || isPlain ? joined(value, column) : JSON.stringify(value));
}

const joined = (members: readonly unknown[], { labelOf }: Column): string =>
  members.map((member) => (labelOf ? labelOf(Object(member)) : String(member))).join(separator);

const doubled = (text: string) => text.replaceAll('"', '""');
const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${doubled(text)}"` : text);

const valueAt = (record: Fields, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (value === null ? null : Object(value)[name]), record);

/**
 * Cells of a line. The last one of a line is always quoted, and its closing quote comes with what follows: so
 * a text that was cut ends inside a quoted cell, or in a line that is too short.
 */
function cellsOf(record: Fields, columns: readonly Column[], isWhole: boolean): string {
  const contents = columns.map((column) => contentOf(valueAt(record, column.path), column));
  const last = isWhole ? contents.pop() : undefined;
  const cells = contents.map(quoted);
  return [...cells, ...(last === undefined ? [] : [`"${doubled(last)}`])].join(",");
}

/** What ends a line. */
export const endOfLine = '"\r\n';

/** The line of a table that names its columns, but for its {@link endOfLine}. */
export const headerLine = (schema: z.ZodType): string => {
  const names = columnsOf(schema).map(({ name }) => name);
  return `${names
    .slice(0, -1)
    .map((name) => `${name},`)
    .join("")}"${names.at(-1) ?? ""}`;
};

/** Records as lines behind the {@link headerLine} of their schema; {@link endOfLine} ends the last. */
export function csvLines(schema: z.ZodType): RecordSyntax<unknown> {
  const columns = columnsOf(schema);
  return {
    records: (items) =>
      items.map((item) => endOfLine + cellsOf(Object(item), columns, true)).join(""),
    large: ({ head, parts }) => {
      // Schemas end with the lists that are read in parts.
      const own = columns.slice(0, -parts.length);
      return lineOfParts(
        endOfLine + cellsOf({ ...head }, own, false),
        parts,
        columns.slice(-parts.length),
      );
    },
  };
}

/** The rest of a line whose last cells are lists. */
function lineOfParts(
  start: string,
  parts: readonly OpensPart[],
  columns: readonly Column[],
): NextText {
  const left = parts.map((part, position) => ({ part, column: columns[position] }));
  let before = start;
  let cell: NextText | null = null;
  return async () => {
    const text = cell && (await cell());
    if (text !== null) {
      return text;
    }
    const next = left.shift();
    if (!next?.column) {
      return null;
    }
    const { part, column } = next;
    const { next: following } = textOfRecords(await part.open(), membersOf(column));
    const first = `${before},"`;
    before = '"';
    cell = following;
    return first;
  };
}

/** The members of a list in one cell. */
const membersOf = (column: Column): RecordSyntax<unknown> => ({
  records: (items, isFirst) => doubled(membersText(items, column, isFirst)),
  large: ({ head }, isFirst) => once(doubled(membersText([head], column, isFirst))),
});

const membersText = (items: readonly unknown[], column: Column, isFirst: boolean): string =>
  isFirst ? contentOf([...items], column) : defused(separator + joined(items, column));

function once(text: string): NextText {
  let left: string | null = text;
  return async () => {
    const given = left;
    left = null;
    return given;
  };
}

/** The mark by which some programs know a text in UTF-8. */
const byteOrderMark = "\uFEFF";

/** What a table in CSV begins with. */
export const startOfCsv = (hasMark: boolean, schema: z.ZodType): string =>
  (hasMark ? byteOrderMark : "") + headerLine(schema);
