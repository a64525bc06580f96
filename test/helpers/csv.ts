import * as z from "zod";

/**
 * Parses the lines of a table in CSV, strictly according to RFC 4180.
 * @throws {Error} for an unterminated cell, lines of different lengths, or a last line without a
 * line ending
 */
export function linesOf(text: string): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  let at = 0;
  while (at < text.length) {
    const [whole, quoted, plain = "", end] =
      /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(text.slice(at)) ?? [];
    if (whole === undefined) {
      throw new Error(`The table is broken at ${at}: ${JSON.stringify(text.slice(at, at + 40))}`);
    }
    line.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    at += whole.length;
    if (end === "\r\n") {
      lines.push(line);
      line = [];
    }
  }
  const [header] = lines;
  if (!header || line.length > 0 || lines.some(({ length }) => length !== header.length)) {
    throw new Error("The table has lines of different lengths, or none.");
  }
  return lines;
}

/** Records whose label in a list cell is not the value itself (API contract, section 13). */
const labels: Readonly<Record<string, (member: Record<string, unknown>) => unknown>> = {
  ip_addresses: ({ ip_address }) => ip_address,
  ports: ({ number, protocol }) => `${number}/${protocol}`,
  interfaces: ({ name, if_index }) => name ?? if_index,
  neighbors: ({ system_name, chassis_id }) => system_name ?? Object(chassis_id).value,
  services: ({ name }) => name,
  bindings: ({ id }) => id,
};
const bracketed = ["network_ids", "subnet_ids"];
const fields = z.record(z.string(), z.unknown());
const plain = z.array(z.union([z.string(), z.number()]));

/** The cell that the contract requires for a record in a column. */
function expectedCell(record: unknown, column: string): string {
  const path = column.split(".");
  let value: unknown = record;
  for (const name of path) {
    value = value === null || value === undefined ? null : fields.parse(value)[name];
  }
  const name = path.at(-1) ?? "";
  const text = (): string => {
    if (value === null || value === undefined) {
      return "";
    }
    if (!Array.isArray(value)) {
      return column === "metadata" ? JSON.stringify(value) : String(value);
    }
    if (value.length === 0) {
      return bracketed.includes(name) ? "[]" : "";
    }
    const label = labels[name];
    const members = label
      ? value.map((member) => label(fields.parse(member)))
      : plain.safeParse(value).data;
    return members ? members.join("; ") : JSON.stringify(value);
  };
  return text();
}

const separators = /[,;\t\n\v\f\r\u0085\u2028\u2029]/;

/**
 * The text of a cell without the apostrophe that precedes each part that could be a formula
 * (section 13).
 */
export const withoutMarks = (cell: string) =>
  cell
    .split(new RegExp(`(${separators.source})`))
    .map((part) => part.replace(/^'/, ""))
    .join("");

/**
 * The parts of a table that a spreadsheet could run as formulas, regardless of where the
 * spreadsheet splits the text and of whether the parts are quoted. Plain numbers are excluded.
 */
export const formulasIn = (text: string): string[] =>
  text
    .split(separators)
    .filter((part) => /^[\s\p{C}"]*[=+\-@＝＋－＠]/u.test(part) && !/^"?-\d+"?$/.test(part));

/**
 * The paths of all values in a record, except values that are objects; an array and `metadata` count
 * as one value each.
 */
function leavesOf(value: unknown, path: string): string[] {
  const isOne = Array.isArray(value) || path === "metadata";
  const object = isOne ? undefined : fields.safeParse(value).data;
  return object
    ? Object.entries(object).flatMap(([name, own]) =>
        leavesOf(own, path ? `${path}.${name}` : name),
      )
    : [path];
}

/**
 * Compares a table with the same records in JSON. Returns its columns and lines, the lines that the
 * contract requires, cells that could be formulas, and JSON fields without a column.
 */
export function comparedTable(text: string, records: readonly unknown[]) {
  const [header = [], ...lines] = linesOf(text);
  const isColumn = (path: string) =>
    header.some((name) => name === path || name.startsWith(`${path}.`));
  return {
    header,
    lines: lines.map((line) => line.map(withoutMarks)),
    expected: records.map((record) => header.map((column) => expectedCell(record, column))),
    formulas: [
      ...formulasIn(text),
      ...lines.flat().filter((cell) => /^[=+\-@\t\r\n]/.test(cell) && !/^-\d+$/.test(cell)),
    ],
    missing: [...new Set(records.flatMap((record) => leavesOf(record, "")))].filter(
      (path) => !isColumn(path),
    ),
  };
}
