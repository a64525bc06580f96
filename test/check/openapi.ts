import { readFileSync, writeFileSync } from "node:fs";
import { app } from "../../src/app.ts";
import { buildDocument } from "../../src/openapi/document.ts";
import { fold } from "../../src/openapi/fold.ts";
import { loadDescriptions } from "../../src/openapi/load.ts";

/**
 * With `--write`, writes the OpenAPI document. Without it, checks that the committed document is up
 * to date.
 */
await loadDescriptions(app);

const file = "src/docs/assets/openapi.json";
const text = `${JSON.stringify(fold(buildDocument(app)), null, 2)}\n`;

if (process.argv.includes("--write")) {
  writeFileSync(file, text);
  console.log(`OpenAPI: wrote ${file}.`);
} else if (readFileSync(file, "utf8") === text) {
  console.log("OpenAPI: the document is that of the code.");
} else {
  console.log("OpenAPI: the document is not that of the code: run npm run generate.");
  process.exitCode = 1;
}
