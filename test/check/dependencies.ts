import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import * as z from "zod";

/**
 * Checks how much `npm ci` installs, and the licenses of the packages that can be in the Worker.
 * Tools that only one check needs have a package of their own, such as `test/lint`.
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

/** Licenses that require nothing but a notice. */
const permissive = new Set(["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"]);

const { packages: locked } = z
  .object({
    packages: z.record(
      z.string(),
      z.object({ dev: z.boolean().default(false), license: z.string().default("none") }),
    ),
  })
  .parse(JSON.parse(readFileSync("package-lock.json", "utf8")));
const restricted = Object.entries(locked).filter(
  ([, { dev, license }]) => !dev && !license.split(" OR ").some((one) => permissive.has(one)),
);
for (const [folder, { license }] of restricted) {
  console.error(`Dependencies: the license of ${folder} is ${license}.`);
}

process.exitCode =
  restricted.length === 0 && count <= maximumPackages && size <= maximumSize ? 0 : 1;
