import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { demoSealingKeys } from "../../drizzle/demo/sealing-keys.ts";
import { demoSigningKeys } from "../../drizzle/demo/signing-keys.ts";
import type { WorkerSource } from "./workerd.ts";

/** The Worker, as `wrangler deploy` would upload it. */
export interface Bundle {
  script: string;
  gzippedBytes: number;
}

/**
 * Bundles a module with the settings of wrangler.toml. Without a module, bundles the Worker itself.
 * @param options.folder the folder of another version of the project
 */
export function bundle({ module, folder: cwd }: { module?: string; folder?: string } = {}): Bundle {
  const folder = mkdtempSync(join(tmpdir(), "bench-bundle-"));
  try {
    execFileSync(
      "wrangler",
      ["deploy", ...(module ? [module] : []), "--dry-run", "--env=", "--outdir", folder],
      {
        ...(cwd && { cwd }),
        stdio: "pipe",
        env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
      },
    );
    const name = module?.replace(/^.*\/|\.ts$/g, "") ?? "index";
    const script = readFileSync(join(folder, `${name}.js`));
    return { script: script.toString(), gzippedBytes: gzipSync(script).length };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Adds the bindings that bare workerd does not have. They are never used: in development
 * RATE_LIMITS is off, nothing is polled, and no documentation page is requested.
 */
const wrapper = `
import worker from "./index.js";
let complete;
export default {
  fetch(request, env, context) {
    complete ??= {
      ...env,
      KEY_RATE_LIMIT: { limit: async () => ({ success: true }) },
      ORGANIZATION_RATE_LIMIT: { limit: async () => ({ success: true }) },
      ADDRESS_RATE_LIMIT: { limit: async () => ({ success: true }) },
      READINESS_RATE_LIMIT: { limit: async () => ({ success: true }) },
      REACHABILITY_RATE_LIMIT: { limit: async () => ({ success: true }) },
      POLL_QUEUE: { sendBatch: async () => {} },
      SLOW_POLL_QUEUE: { sendBatch: async () => {} },
      WEBHOOK_QUEUE: { sendBatch: async () => {} },
      SLOW_WEBHOOK_QUEUE: { sendBatch: async () => {} },
      ASSETS: { fetch: async () => new Response(null, { status: 404 }) },
    };
    return worker.fetch(request, complete, context);
  },
};
`;

/** The bundled Worker with a database, for workerd. */
export const workerSource = (
  { script }: Bundle,
  database: { endpoint: string; connectionString: string },
): WorkerSource => ({
  modules: { "entry.js": wrapper, "index.js": script },
  variables: {
    ENVIRONMENT: "development",
    RATE_LIMITS: "off",
    SEALING_KEYS: demoSealingKeys,
    SIGNING_KEYS: demoSigningKeys,
    DATABASE_URL: database.connectionString,
    LOCAL_DATABASE_ENDPOINT: database.endpoint,
  },
});
