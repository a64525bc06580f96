import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import document from "../../src/docs/assets/openapi.json" with { type: "json" };

/** What the Worker may weigh without its static assets, gzipped, in KiB. */
const maximum = 150;

const output = execFileSync("wrangler", ["deploy", "--dry-run", "--outdir", "dist"], {
  encoding: "utf8",
  env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
});
const size = Number(/gzip: ([\d.]+) KiB/.exec(output)?.[1]);
console.log(`Bundle: ${size} KiB gzipped of ${maximum}.`);

// Descriptions are for the OpenAPI document: the bundler drops them as long as it sees them as pure.
const code = readFileSync("dist/index.js", "utf8");
const described = Object.values(document.paths)
  .flatMap((operations) => Object.values(operations))
  .filter(({ operationId }) => code.includes(`"${operationId}"`));
for (const { operationId } of described) {
  console.log(`Bundle: the description of ${operationId} is in it: see describeOperation.`);
}
process.exitCode = size <= maximum && described.length === 0 ? 0 : 1;
