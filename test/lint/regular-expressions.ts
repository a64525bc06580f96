import { readdirSync, readFileSync } from "node:fs";
import { parseSync, Visitor } from "oxc-parser";
import { checkSync } from "recheck";

/**
 * Checks that the time of every regular expression in `src`, and of every pattern in the OpenAPI
 * document, is at most linear in the length of the text, so that no text can block an isolate.
 */

const source = new URL("../../src/", import.meta.url);

/** In milliseconds, for each expression. */
const timeout = 20_000;

/** The expressions that recheck cannot parse. It does not support the flag `v`. */
const unsupported = new Map([
  [
    "http/list/formats/csv.ts",
    "after a separator, reads characters that are not separators: no character twice",
  ],
]);

/** The files that use each expression. */
const uses = new Map<string, { pattern: string; flags: string; files: Set<string> }>();

function add(file: string, pattern: string, flags: string): void {
  const key = `/${pattern}/${flags}`;
  const use = uses.get(key) ?? { pattern, flags, files: new Set() };
  use.files.add(file);
  uses.set(key, use);
}

for (const file of readdirSync(source, { recursive: true, encoding: "utf8" })) {
  if (/(?<!\.d)\.tsx?$/.test(file)) {
    const { program, errors } = parseSync(file, readFileSync(new URL(file, source), "utf8"));
    if (errors.length > 0) {
      throw new Error(`${file} cannot be parsed.`);
    }
    new Visitor({
      Literal(literal) {
        if ("regex" in literal) {
          add(file, literal.regex.pattern, literal.regex.flags);
        }
      },
    }).visit(program);
  }
}

const document = "docs/assets/openapi.json";
JSON.parse(readFileSync(new URL(document, source), "utf8"), (key, value: unknown) => {
  if (key === "pattern" && typeof value === "string") {
    add(document, value, "u");
  }
  return value;
});

for (const [expression, { pattern, flags, files }] of uses) {
  if (![...files].every((file) => unsupported.has(file) && flags.includes("v"))) {
    const result = checkSync(pattern, flags, { timeout });
    if (result.status !== "safe") {
      process.exitCode = 1;
      const verdict = result.status === "vulnerable" ? result.complexity.summary : result.status;
      console.error(`${[...files].join(", ")}: ${expression} is ${verdict}.`);
    }
  }
}
console.log(`Checked ${uses.size} regular expressions.`);
