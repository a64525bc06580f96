import { digits, holds, type Row } from "./row.ts";

const verdicts = new Map([
  [true, "held"],
  [false, "**missed**"],
  [null, ""],
]);

const signs = { "at most": "≤", exactly: "=" };

/**
 * Formats a ratio to three decimal places, so that one that just misses its bound is not rounded to
 * the bound.
 */
const valueText = ({ value, unit }: Row) => (unit === "×" ? value.toFixed(3) : digits(value));

const cells = (row: Row): string[] => [
  row.what,
  row.ours,
  row.reference ?? "",
  `${valueText(row)} ${row.unit}${row.spread ? ` ± ${(row.spread * 100).toFixed(0)} %` : ""}`,
  ...verdictOf(row),
];

/** The two cells for a bound: the bound, and whether it holds. */
export const verdictOf = (row: Pick<Row, "value" | "bound">): [string, string] => [
  row.bound ? `${signs[row.bound.is]} ${digits(row.bound.value)}` : "",
  verdicts.get(holds(row)) ?? "",
];

/** A row of a Markdown table. */
export const tableLine = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** A Markdown table. */
export const markdown = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [tableLine(heads), tableLine(heads.map(() => "---")), ...rows.map(tableLine)].join("\n");

/** A table of the rows with their bounds, followed by their notes. */
export function table(rows: readonly Row[]): string {
  const notes = rows.flatMap(({ what, note }) => (note ? [`- ${what}: ${note}`] : []));
  return [
    markdown(["what", "ours", "reference", "value", "bound", ""], rows.map(cells)),
    "",
    ...notes,
  ].join("\n");
}
