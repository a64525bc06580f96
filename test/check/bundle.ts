import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import * as z from "zod";

/** The maximum size of the Worker without its static assets, gzipped, in KiB. */
const maximum = 323;

/** Modules that must not run when the Worker starts: the first request that needs one loads it. */
const late =
  /^node_modules\/(@neondatabase|croner|drizzle-orm)\/|\/(create|input|list|model|routes|sql)\.ts$|\/(poller|nmap|tables)\//;

const output = execFileSync(
  "wrangler",
  ["deploy", "--dry-run", "--env=", "--outdir", "dist", "--metafile", "dist/meta.json"],
  { encoding: "utf8", env: { ...process.env, WRANGLER_SEND_METRICS: "false" } },
);

const importSchema = z.object({ path: z.string(), kind: z.string() });
const metafile = z
  .object({
    inputs: z.record(z.string(), z.object({ imports: z.array(importSchema) })),
    outputs: z.record(
      z.string(),
      z.object({
        entryPoint: z.string().optional(),
        inputs: z.record(z.string(), z.object({ bytesInOutput: z.int() })),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync("dist/meta.json", "utf8")));

/**
 * Returns the modules that run at startup: everything that the entry module imports, except through
 * `import()`.
 */
function modulesOfStart(entry: string): Set<string> {
  const modules = new Set([entry]);
  for (const module of modules) {
    for (const { path, kind } of metafile.inputs[module]?.imports ?? []) {
      if (kind === "import-statement") {
        modules.add(path);
      }
    }
  }
  return modules;
}

const early = Object.values(metafile.outputs).flatMap(({ entryPoint, inputs }) =>
  entryPoint === undefined
    ? []
    : [...modulesOfStart(entryPoint)].filter(
        (module) => late.test(module) && (inputs[module]?.bytesInOutput ?? 0) > 0,
      ),
);
const size = Number(/gzip: ([\d.]+) KiB/.exec(output)?.[1]);
console.log(`Bundle: ${size} KiB gzipped of ${maximum}.`);
for (const module of new Set(
  early.map((one) => /^node_modules\/(@[^/]+\/)?[^/]+/.exec(one)?.[0] ?? one),
)) {
  console.error(`${module} runs at the start of the Worker: import it behind onFirstRequest.`);
}
process.exitCode = size <= maximum && early.length === 0 ? 0 : 1;
