import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import * as z from "zod";

/**
 * Checks how much `npm ci` installs. Tools that only one check needs have a package of their own,
 * such as `test/lint`.
 */
const maximumPackages = 400;

/** In MiB. */
const maximumSize = 680;

// npm lists here what it has installed; the project's lockfile also has other platforms' packages.
const { packages } = z
  .object({ packages: z.record(z.string(), z.unknown()) })
  .parse(JSON.parse(readFileSync("node_modules/.package-lock.json", "utf8")));
const count = Object.keys(packages).length;
const [kibibytes] = execFileSync("du", ["-sk", "node_modules"], { encoding: "utf8" }).split("\t");
const size = Math.ceil(Number(kibibytes) / 1024);
console.log(
  `Dependencies: ${count} packages of ${maximumPackages}, ${size} MiB of ${maximumSize}.`,
);
process.exitCode = count <= maximumPackages && size <= maximumSize ? 0 : 1;
