import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { demoSealingKeys } from "./demo/sealing-keys.ts";
import { seedDemo } from "./demo/seed.ts";
import demo from "./demo.json" with { type: "json" };
import { announceRunning, dataFolder } from "./local/running.ts";
import { startLocalDatabase } from "./local/server.ts";
import { migrateDatabase } from "./migrate.ts";

const { values: options } = parseArgs({ options: { reset: { type: "boolean", default: false } } });
const port = process.env["PORT"] ?? "8787";
const folder = dataFolder();
const address = `http://localhost:${port}`;

if (options.reset) {
  await rm(folder, { recursive: true, force: true });
}
const database = await startLocalDatabase({ dataFolder: `${folder}/postgres` });
await database.withClient(migrateDatabase);
await database.withClient(seedDemo);
const withdraw = await announceRunning(folder, database);

const variables = {
  ENVIRONMENT: "development",
  DATABASE_URL: database.connectionString,
  LOCAL_DATABASE_ENDPOINT: database.endpoint,
  RATE_LIMITS: "off",
  SEALING_KEYS: demoSealingKeys,
};
const worker = spawn(
  "wrangler",
  [
    "dev",
    ...["--ip", "127.0.0.1", "--port", port, "--inspector-port", "0"],
    ...["--persist-to", `${folder}/workers`, "--show-interactive-dev-session", "false"],
    ...Object.entries(variables).flatMap(([name, value]) => ["--var", `${name}:${value}`]),
  ],
  {
    // A group of its own: Ctrl-C is for this process, which then stops the Worker in its turn.
    detached: true,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
  },
);

let isStopping = false;
async function stop(status: number): Promise<void> {
  if (isStopping) {
    return;
  }
  isStopping = true;
  if (worker.pid !== undefined && worker.exitCode === null) {
    process.kill(-worker.pid, "SIGTERM");
    await Promise.race([new Promise((ended) => worker.once("exit", ended)), sleep(3000)]);
  }
  await withdraw();
  await database.close();
  process.exit(status);
}
process.on("SIGINT", () => stop(0));
process.on("SIGTERM", () => stop(0));
process.on("SIGHUP", () => stop(0));
worker.once("error", () => stop(1));
worker.once("exit", (status) => stop(status ?? 1));

while (!isStopping && !(await isReady())) {
  await sleep(100);
}
console.log(`
Network Inventory API is ready at ${address}

  The organization's credentials:
    curl ${address}/api/v1/credentials -H 'Authorization: Bearer ${demo.keys.viewer}'

  What listened where on 1 April 2025:
    curl '${address}/api/v1/bindings?at=2025-04-01T00:00:00Z&limit=3' -H 'Authorization: Bearer ${demo.keys.viewer}'

  Contact the unreachable daemon again:
    curl -X POST ${address}/api/v1/daemons/${demo.daemons.find((daemon) => daemon.is_unreachable)?.id}/retry-connection -H 'Authorization: Bearer ${demo.keys.member}'

  Rename the organization:
    curl -X PUT ${address}/api/v1/organizations/${demo.organization.id} -H 'Authorization: Bearer ${demo.keys.owner}' -H 'Content-Type: application/json' -d '"${demo.organization.name}"'

Keys and ids are in drizzle/demo.json, data in ${folder}. Ctrl-C stops everything.
`);

async function isReady(): Promise<boolean> {
  try {
    return (await fetch(`${address}/api/health/ready`)).ok;
  } catch {
    return false;
  }
}
