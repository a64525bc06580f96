import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { documentSchema } from "../../src/docs/reference/document.ts";
import { referencePages } from "../../src/docs/reference/pages.ts";

/**
 * Writes the assets that are generated from committed files: the OpenAPI document without
 * indentation, as the service sends it, and the pages of the reference.
 */
const folder = "src/docs/assets";
const document: unknown = JSON.parse(readFileSync(`${folder}/openapi.json`, "utf8"));
writeFileSync(`${folder}/openapi.min.json`, JSON.stringify(document));

mkdirSync(`${folder}/reference`, { recursive: true });
const guides = new Map([
  ["readme", readFileSync("README.md", "utf8")],
  ...["contract", "errors", "frontend"].map((name): [string, string] => [
    name,
    readFileSync(`src/docs/${name}.md`, "utf8"),
  ]),
]);
for (const [name, page] of await referencePages(documentSchema.parse(document), guides)) {
  writeFileSync(`${folder}/reference/${name}.html`, page);
}
