import { readFileSync, writeFileSync } from "node:fs";
import * as z from "zod";
import { app } from "../../src/app.ts";
import { errorCatalogue } from "../../src/errors/errors.ts";
import { type Operation, operationsOf } from "../../src/openapi/describe.ts";
import { loadDescriptions } from "../../src/openapi/load.ts";

/**
 * With `--write`, writes the tables in the documents, each between its markers. Without it, checks
 * that they are up to date.
 */
await loadDescriptions(app);

/** Returns a table formatted as the formatter would write it. */
function table(head: string[], ...rows: string[][]): string {
  const texts = [head, ...rows].map((cells) => cells.map((cell) => cell.replaceAll("<", "&lt;")));
  const widths = head.map((_, column) =>
    Math.max(...texts.map((cells) => cells[column]?.length ?? 0)),
  );
  const lines = texts.map((cells) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
  const rule = widths.map((width) => "-".repeat(width));
  return lines
    .toSpliced(1, 0, rule)
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

/** The paths that most collections have below their own path; the last column lists them. */
const common = /\/(bulk|bulk-delete|\{id\})$/;

/** The methods of operations, and the lowest role that each requires. */
const methodsOf = (operations: readonly Operation[]): string =>
  [...Map.groupBy(operations, ({ role }) => role ?? "public")]
    .map(([role, some]) => `${[...new Set(some.map(({ method }) => method))].join(" ")}: ${role}`)
    .join(", ");

/**
 * One row for each collection and for each other path. The last column lists the paths below a
 * collection: `bulk`, `bulk-delete`, `{id}`.
 */
function rowsOf(operations: readonly Operation[]): string[][] {
  const rows = Map.groupBy(operations, ({ path }) => path.replace(common, ""));
  return [...rows].map(([path, group]) => {
    const more = [...new Set(group.map((one) => common.exec(one.path)?.[1] ?? ""))].filter(Boolean);
    return [`\`${path}\``, methodsOf(group), more.map((name) => `\`/${name}\``).join(" ")];
  });
}

interface Table {
  file: string;
  name: string;
  content: string;
}

const endpoints: Table = {
  file: "src/docs/endpoints.md",
  name: "endpoints",
  content: table(["path", "methods: minimum role", "and below it"], ...rowsOf(operationsOf(app))),
};

const errors: Table = {
  file: "src/docs/errors.md",
  name: "errors",
  content: table(
    ["code", "status", "`params`", "what it means, and what to do"],
    ...Object.entries(errorCatalogue).map(([code, { status, params, meaning }]) => [
      `\`${code}\``,
      String(status),
      Object.keys(z.toJSONSchema(params).properties ?? {})
        .map((name) => `\`${name}\``)
        .join(", "),
      meaning,
    ]),
  ),
};

for (const { file, name, content } of [endpoints, errors]) {
  const before = readFileSync(file, "utf8");
  const section = new RegExp(`(<!-- ${name}:begin -->\n)[^]*?(<!-- ${name}:end -->)`);
  if (!section.test(before)) {
    throw new Error(`${file} lacks the markers <!-- ${name}:begin --> and <!-- ${name}:end -->.`);
  }
  const after = before.replace(section, (_, begin, end) => `${begin}\n${content}\n\n${end}`);
  if (process.argv.includes("--write")) {
    writeFileSync(file, after);
    console.log(`Documents: wrote the ${name} of ${file}.`);
  } else if (after === before) {
    console.log(`Documents: the ${name} of ${file} are those of the code.`);
  } else {
    console.log(
      `Documents: the ${name} of ${file} are not those of the code: run npm run generate.`,
    );
    process.exitCode = 1;
  }
}
