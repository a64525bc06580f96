import { execFileSync } from "node:child_process";

/** What the Worker may weigh without its static assets, gzipped, in KiB. */
const maximum = 210;

const output = execFileSync("wrangler", ["deploy", "--dry-run", "--outdir", "dist"], {
  encoding: "utf8",
  env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
});
const size = Number(/gzip: ([\d.]+) KiB/.exec(output)?.[1]);
console.log(`Bundle: ${size} KiB gzipped of ${maximum}.`);
process.exitCode = size <= maximum ? 0 : 1;
