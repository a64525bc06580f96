import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

/** The maximum sizes of the page's files, gzipped, in KiB. */
const maxima = { "app.js": 60, "explore.css": 8 };

for (const [file, maximum] of Object.entries(maxima)) {
  const content = readFileSync(`src/docs/assets/explore/${file}`);
  const size = gzipSync(content).length / 1024;
  console.log(`/explore/${file}: ${size.toFixed(1)} KiB gzipped of ${maximum}.`);
  if (size > maximum) {
    process.exitCode = 1;
  }
}
