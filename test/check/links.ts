import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { anchorOf } from "../../src/docs/reference/markup.ts";

/**
 * Checks that relative links in Markdown point to an existing file and heading, that commands in
 * Markdown run an existing script, and that comments which cite a heading in the API contract (`section 10, "Imports"`) cite an existing heading.
 */

const filesOf = (...patterns: string[]): string[] =>
  execFileSync("git", ["ls-files", ...patterns], { encoding: "utf8" })
    .trim()
    .split("\n");

const headingsOf = (text: string): string[] =>
  Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = ""]) => heading);

const texts = new Map(filesOf("*.md").map((file) => [file, readFileSync(file, "utf8")]));
const faults: string[] = [];

for (const [file, text] of texts) {
  for (const [link, path = "", anchor] of text.matchAll(/\]\(([^)#\s]*)(?:#([^)\s]*))?\)/g)) {
    if (/^[a-z]+:/.test(path)) {
      continue;
    }
    const target = path === "" ? file : normalize(join(dirname(file), path));
    const headings = headingsOf(texts.get(target) ?? "").map(anchorOf);
    if (!existsSync(target) || (anchor !== undefined && !headings.includes(anchor))) {
      faults.push(`${file}: ${link.slice(1)} leads nowhere`);
    }
  }
}

for (const [file, text] of texts) {
  for (const [command, script = ""] of text.matchAll(/\bnpm run (?:--silent )?([a-z][\w:-]*)/g)) {
    if (!(script in packageJson.scripts)) {
      faults.push(`${file}: ${command} is not a script of package.json`);
    }
  }
  for (const [command, script = ""] of text.matchAll(/\bnode ([\w./-]+\.ts)/g)) {
    if (!existsSync(script)) {
      faults.push(`${file}: ${command} runs a file that does not exist`);
    }
  }
}

const contract = headingsOf(texts.get("src/docs/contract.md") ?? "");
for (const file of filesOf("src/*.ts", "drizzle/*.ts", "drizzle/*.sql", "test/*.ts")) {
  const text = readFileSync(file, "utf8").replaceAll(/\n\s*(\*|\/\/|--)\s*/g, " ");
  for (const [, number, title = ""] of text.matchAll(/section (\d+), "([^"]+)"/g)) {
    if (!contract.includes(title)) {
      faults.push(`${file}: section ${number} of the contract has no heading "${title}"`);
    }
  }
}

if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exit(1);
}
console.log(`Documents: all links and commands of ${texts.size} files lead somewhere.`);
