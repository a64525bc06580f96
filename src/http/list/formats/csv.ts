import * as z from "zod";
import type { OpensPart } from "../source.ts";
import { type NextText, onePiece, type RecordSyntax, textOfRecords } from "./text.ts";

/** The fields of a record, or of an object in a record. */
type Fields = Readonly<Record<string, unknown>>;

/** Returns a list member's text, for the single cell that contains the list. */
type LabelOf = (member: Fields) => string;

const labels = new WeakMap<object, LabelOf>();

/**
 * Sets the text that represents a record in a list within another record (API contract, section
 * 13).
 */
export function labelBy(schema: z.ZodType, labelOf: LabelOf): void {
  labels.set(schema, labelOf);
}

/** A table column: a field of the records, or of an object in the records. */
interface Column {
  name: string;
  path: readonly string[];
  /**
   * Returns the text for a list member; undefined unless the field is a list of records that
   * {@link labelBy} was called for.
   */
  labelOf: LabelOf | undefined;
  /** The text for an empty list: `[]` if the list can also be null, to distinguish the two. */
  empty: "" | "[]";
}

/** Unwraps optional, nullable and pipe schemas. */
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

const columnCache = new WeakMap<z.ZodType, readonly Column[]>();

/** The records of a table. */
export interface Table {
  schema: z.ZodType;
  /** The names of the fields to write; undefined for all fields. */
  fields?: readonly string[] | undefined;
}

/** Returns the columns of a table. */
function columnsOf({ schema, fields }: Table): readonly Column[] {
  const columns = columnCache.get(schema) ?? columnsIn(schema, []);
  columnCache.set(schema, columns);
  return fields === undefined
    ? columns
    : columns.filter(({ path: [field = ""] }) => fields.includes(field));
}

/**
 * Matches the start of each part of a string that a spreadsheet might evaluate as a formula. A
 * spreadsheet may split a cell at a comma, semicolon, tab or line break. Some spreadsheets first
 * remove spaces, quotes and invisible characters, and treat full-width signs like ordinary ones. A
 * `'` is escaped too, so that escapes can be distinguished from the text itself.
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
const formulas =
  /(?<=^|[,;\t\n\v\f\r\u0085\u2028\u2029])(?='|[[\s\p{C}"]--[\t\n\v\f\r\u0085\u2028\u2029]]*[=+\-@＝＋－＠])|^(?=[\t\n\r])/gv;

/**
 * Puts an apostrophe before each part of a string that a spreadsheet might evaluate as a formula.
 */
const defused = (text: string): string => text.replace(formulas, "'");

const separator = "; ";

/** Returns the content of a cell, unquoted. */
function contentOf(value: unknown, column: Column): string {
  const { labelOf, empty } = column;
  if (value === null || value === undefined) {
    return "";
  }
  if (typeof value === "string") {
    return defused(value);
  }
  if (!Array.isArray(value)) {
    return typeof value === "object" ? defused(JSON.stringify(value)) : String(value);
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
 * Formats the cells of a line. The last cell of a line is always quoted, and its closing quote is
 * written with the text that follows. Truncated text therefore ends inside a quoted cell, or in a
 * line with too few cells.
 */
function cellsOf(record: Fields, columns: readonly Column[], isWhole: boolean): string {
  const contents = columns.map((column) => contentOf(valueAt(record, column.path), column));
  const last = isWhole ? contents.pop() : undefined;
  const cells = contents.map(quoted);
  return [...cells, ...(last === undefined ? [] : [`"${doubled(last)}`])].join(",");
}

/** The end of a line, with the closing quote of its last cell. */
export const endOfLine = '"\r\n';

/** Formats the header line, without its {@link endOfLine}. */
export const headerLine = (table: Table): string => {
  const names = columnsOf(table).map(({ name }) => name);
  return `${names
    .slice(0, -1)
    .map((name) => `${name},`)
    .join("")}"${names.at(-1) ?? ""}`;
};

/**
 * Writes records as lines after the {@link headerLine}. The caller ends the last line with
 * {@link endOfLine}.
 */
export function csvLines(table: Table): RecordSyntax<unknown> {
  const columns = columnsOf(table);
  return {
    records: (items) =>
      items.map((item) => endOfLine + cellsOf(Object(item), columns, true)).join(""),
    large: ({ head, parts }) => {
      // The lists that are read in parts are the last fields of a schema.
      const own = columns.slice(0, -parts.length);
      const cells = own.length === 0 ? "" : `${cellsOf({ ...head }, own, false)},`;
      return lineOfParts(endOfLine + cells, parts, columns.slice(-parts.length));
    },
  };
}

/**
 * Formats the rest of a line after its `start`, which ends with a separator. The last cells of the line are lists that are read
 * in parts.
 */
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
    const first = `${before}"`;
    before = '",';
    cell = following;
    return first;
  };
}

/** The syntax of a list's members in one cell. */
const membersOf = (column: Column): RecordSyntax<unknown> => ({
  records: (items, isFirst) => doubled(membersText(items, column, isFirst)),
  large: ({ head }, isFirst) => onePiece(doubled(membersText([head], column, isFirst))),
});

const membersText = (items: readonly unknown[], column: Column, isFirst: boolean): string =>
  isFirst ? contentOf([...items], column) : defused(separator + joined(items, column));

/** The byte order mark, which some programs need in order to recognize UTF-8. */
const byteOrderMark = "\uFEFF";

/** Returns the start of a CSV table: a byte order mark if `hasMark` is set, and the header line. */
export const startOfCsv = (hasMark: boolean, table: Table): string =>
  (hasMark ? byteOrderMark : "") + headerLine(table);
