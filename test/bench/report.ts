import { writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { digits, holds, type Row } from "./row.ts";

const verdicts = new Map([
  [true, "pass"],
  [false, "FAIL"],
  [null, ""],
]);

const signs = { "at most": "≤", "at least": "≥", exactly: "=" };

/** A ratio that just misses its bound must not look as if it held it. */
const shownValue = ({ value, unit }: Row) => (unit === "×" ? value.toFixed(3) : digits(value));

const cells = (row: Row): string[] => [
  row.what,
  row.ours,
  row.reference ?? "",
  `${shownValue(row)} ${row.unit}${row.spread ? ` ± ${(row.spread * 100).toFixed(0)} %` : ""}`,
  row.bound ? `${signs[row.bound.is]} ${digits(row.bound.value)}` : "",
  verdicts.get(holds(row)) ?? "",
];

/** The table of the bench, in Markdown. */
export function table(rows: readonly Row[]): string {
  const lines = [["what", "ours", "reference", "value", "bound", ""], ...rows.map(cells)];
  const widths = lines[0]?.map((_, column) =>
    Math.max(3, ...lines.map((line) => line[column]?.length ?? 0)),
  );
  const written = lines.map(
    (line) => `| ${line.map((cell, column) => cell.padEnd(widths?.[column] ?? 0)).join(" | ")} |`,
  );
  const ruler = `| ${widths?.map((width) => "-".repeat(width)).join(" | ")} |`;
  const [head = "", ...body] = written;
  const notes = rows.flatMap(({ what, note }) => (note ? [`- ${what}: ${note}`] : []));
  return [head, ruler, ...body, "", ...notes].join("\n");
}

/** Writes everything that was measured, with the machine that it was measured on. */
export function writeResults(file: URL, results: Record<string, unknown>): void {
  const machine = {
    cores: cpus().length,
    memory_gib: Math.round(totalmem() / 1024 ** 3),
    node: process.version,
  };
  writeFileSync(file, `${JSON.stringify({ machine, ...results }, null, 2)}\n`);
}
