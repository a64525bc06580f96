import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { bundle, workerSource } from "./bundle.ts";
import { callRows } from "./calls.ts";
import { latencyChart, streamChart } from "./charts.ts";
import { clusterSettings, postgresPrograms, startCluster } from "./cluster.ts";
import { startDatabaseProcess } from "./database-process.ts";
import { closeDatabases, loadDatabases, sizes } from "./databases.ts";
import { latencyRows } from "./latency.ts";
import { listRows } from "./list-cost.ts";
import { pgliteRows } from "./pglite.ts";
import { queryRows } from "./query-cost.ts";
import { table, writeResults } from "./report.ts";
import { holds, type Row } from "./row.ts";
import type { Scene } from "./scene.ts";
import { securityRows } from "./security-cost.ts";
import { type StreamPoint, streamingRows } from "./streaming.ts";
import { validationRows } from "./validation.ts";
import { workerRows } from "./worker-cost.ts";
import { startWorkerd } from "./workerd.ts";
import { writeRows } from "./writes.ts";

/** `npm run bench`: measures the Worker as workerd runs it, and holds it against its bounds. */
const { values: options } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const durability = "fsync, full_page_writes and synchronous_commit on, as by default";
const beside = (name: string) => new URL(name, import.meta.url);

async function step<T>(name: string, run: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  process.stderr.write(`${name} …`);
  const result = await run();
  process.stderr.write(` ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
  return result;
}

const programs = postgresPrograms();
const cluster =
  programs === null ? null : await step("start Postgres", () => startCluster(programs));
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => Promise.resolve(cluster?.stop()).then(() => process.exit(1)));
}
try {
  await measure();
} finally {
  await cluster?.stop();
}
process.exit();

async function measure(): Promise<void> {
  const isQuick = options.quick;
  const databases =
    cluster && (await step("load the data", () => loadDatabases(cluster, { isQuick })));
  const scene: Scene = {
    bundle: bundle(),
    server: databases?.million.server ?? (await startDatabaseProcess({ inventory: sizes.pglite })),
    rounds: isQuick ? 5 : 9,
    isQuick,
  };
  const worker = await startWorkerd(workerSource(scene.bundle, scene.server));
  const rows: Row[] = await step("count calls", () => callRows(scene, worker.origin));
  const latency = await step("latency", () => latencyRows(scene, worker.origin));
  rows.push(...latency.rows);
  rows.push(...(await step("writes", () => writeRows(scene, worker.origin))));
  await worker.stop();
  rows.push(...(await step("CPU of lists", () => listRows(scene))));
  rows.push(...(await step("the Worker itself", () => workerRows(scene))));
  rows.push(...(await step("validation", () => validationRows(scene))));
  let streaming: StreamPoint[] = [];
  if (databases) {
    rows.push(...(await step("queries", () => queryRows(scene, databases))));
    rows.push(...(await step("security", () => securityRows(scene, databases))));
    const streamed = await step("limit=0", () => streamingRows(scene, databases));
    rows.push(...streamed.rows);
    streaming = streamed.points;
    rows.push(...(await step("PGlite", () => pgliteRows(scene))));
    await closeDatabases(databases);
  } else {
    console.log(
      "There is no Postgres in /usr/lib/postgresql: the Worker is measured on PGlite, queries are not.",
    );
    await scene.server.stop();
  }

  console.log(table(rows));
  writeResults(beside("results.json"), {
    options,
    postgres: cluster && { settings: clusterSettings, durability },
    rows: rows.map((row) => ({ ...row, holds: holds(row) })),
    latency: latency.points,
    streaming,
  });
  writeFileSync(beside("latency.svg"), latencyChart(latency.points));
  if (streaming.length > 0) {
    writeFileSync(beside("streaming.svg"), streamChart(streaming));
  }
}
