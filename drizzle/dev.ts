import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { drizzle } from "drizzle-orm/node-postgres";
import { answerHelp, reasonOf } from "./commands/command.ts";
import {
  daemonConfigurationsFile,
  readDaemonConfigurations,
} from "./demo/daemon-configurations.ts";
import { startDemoDaemons } from "./demo/daemons.ts";
import { provisionDemoDaemons } from "./demo/provision-daemons.ts";
import { provisionDemoWebhook, startDemoReceiver } from "./demo/receiver.ts";
import { demoRequests } from "./demo/requests.ts";
import { demoSealingKeys } from "./demo/sealing-keys.ts";
import { seedDemo } from "./demo/seed.ts";
import { demoSigningKeys } from "./demo/signing-keys.ts";
import demo from "./demo.json" with { type: "json" };
import { requireFreePort } from "./dev/free-port.ts";
import { startWorkerProcess } from "./dev/worker-process.ts";
import { lockFolder } from "./local/folder-lock.ts";
import { announceRunning, dataFolder, readRunning } from "./local/running.ts";
import { startLocalDatabase } from "./local/server.ts";
import { migrateLocalDatabase } from "./migrate.ts";

/**
 * Production polls every minute. The shorter interval lets newcomers watch a scan, a daemon that
 * fails and recovers, and deliveries of the demo webhook. A daemon is not due again for at least
 * five seconds.
 */
const pollCycleMs = 2000;

/** How often to check whether the parent process is still running. */
const parentCheckMs = 1000;

const usage = `Usage:
  npm run dev -- [--reset] [--verbose]

Runs the service on an embedded Postgres with demo data, until Ctrl-C.
  --reset    restores the demo data
  --verbose  shows all that the Worker prints
Environment, for a second one beside it:
  PORT         the port to listen on, 8787 by default
  DATA_FOLDER  the folder of the data, .local by default`;

async function dev(): Promise<void> {
  const flag = { type: "boolean", default: false } as const;
  const { values } = parseArgs({ options: { reset: flag, verbose: flag } });
  const port = process.env["PORT"] ?? "8787";
  const folder = dataFolder();
  await requireFreePort(port, await readRunning(folder));
  if (values.reset) {
    await reset(folder);
  }
  console.log("Starting Postgres …");
  const database = await startLocalDatabase({ dataFolder: `${folder}/postgres` });
  await database.withClient((client) => migrateLocalDatabase(client, folder));
  if (await database.withClient(seedDemo)) {
    // The configurations are from a deleted database: the daemons must be provisioned again in this
    // one.
    await rm(`${folder}/${daemonConfigurationsFile}`, { force: true });
  }
  const configurations = await readDaemonConfigurations(folder);
  const daemons = await startDemoDaemons(configurations);
  await database
    .withClient((client) =>
      provisionDemoDaemons(drizzle({ client }), {
        folder,
        configurations,
        daemons: daemons.daemons,
      }),
    )
    .catch((error) => {
      console.error(
        `The demo daemons are not ready. ${reasonOf(error)}\n` +
          "To restore the demo data: npm run dev -- --reset",
      );
    });
  const receiver = await startDemoReceiver((line) => console.log(line));
  await database.withClient((client) => provisionDemoWebhook(drizzle({ client }), receiver.url));
  const { endpoint, connectionString } = database;
  console.log("Starting the service …");
  const { CORS_ORIGINS, SERVER_VERSION } = process.env;
  const worker = startWorkerProcess({
    port,
    folder,
    isVerbose: values.verbose,
    variables: {
      ENVIRONMENT: "development",
      DATABASE_URL: connectionString,
      LOCAL_DATABASE_ENDPOINT: endpoint,
      RATE_LIMITS: "off",
      PRIVATE_DAEMON_ADDRESSES: "allowed",
      PRIVATE_WEBHOOK_ADDRESSES: "allowed",
      SEALING_KEYS: demoSealingKeys,
      SIGNING_KEYS: demoSigningKeys,
      DEMO_API_KEY: demo.keys.owner,
      ...(CORS_ORIGINS !== undefined && { CORS_ORIGINS }),
      ...(SERVER_VERSION !== undefined && { SERVER_VERSION }),
    },
  });
  const withdraw = await announceRunning(folder, {
    endpoint,
    connectionString,
    demoDaemons: daemons.control,
    port,
    workerGroup: worker.group,
  });

  let isStopping = false;
  async function stop(status: number): Promise<void> {
    if (isStopping) {
      return;
    }
    isStopping = true;
    await worker.stop();
    await withdraw();
    daemons.close();
    receiver.close();
    await database.close();
    process.exit(status);
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => stop(0));
  }
  worker.ended.then(stop);
  database.failure.then((error) => {
    console.error(error.message);
    return stop(1);
  });
  // If npm is killed, it does not stop its child process.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && stop(0), parentCheckMs);

  const address = `http://localhost:${port}`;
  while (!isStopping && !(await answers(`${address}/api/health/ready`))) {
    await sleep(100);
  }
  if (!isStopping) {
    console.log(demoRequests(address, folder));
  }
  while (!isStopping) {
    await answers(`${address}/__scheduled`);
    await sleep(pollCycleMs);
  }
}

/** Removes the data, unless another process is using it. */
async function reset(folder: string): Promise<void> {
  const unlock = await lockFolder(`${folder}/postgres`);
  // The lock file itself must stay: otherwise another process would create and hold a new lock.
  for (const part of ["postgres/complete", "postgres/pgdata", "workers"]) {
    await rm(`${folder}/${part}`, { recursive: true, force: true });
  }
  await unlock();
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

answerHelp(usage);
dev().catch((error) => {
  console.error(reasonOf(error));
  process.exit(1);
});
