import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { documentSchema } from "../../src/docs/reference/document.ts";
import { referencePages } from "../../src/docs/reference/pages.ts";

/**
 * Writes the assets that are generated from the committed OpenAPI document: the copy without
 * indentation that the service sends, and the pages of the reference.
 */
const folder = "src/docs/assets";
const document: unknown = JSON.parse(readFileSync(`${folder}/openapi.json`, "utf8"));
writeFileSync(`${folder}/openapi.min.json`, JSON.stringify(document));

mkdirSync(`${folder}/reference`, { recursive: true });
for (const [name, page] of await referencePages(documentSchema.parse(document))) {
  writeFileSync(`${folder}/reference/${name}.html`, page);
}
