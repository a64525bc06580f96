import type pg from "pg";
import { prepareBareStatements } from "./bare-statements.ts";
import { bundle } from "./bundle.ts";
import { connectTo } from "./cluster.ts";
import { ask, type Cost, type Loaded } from "./loaded.ts";
import { comparisonOf, figure, takeTurns } from "./measure.ts";
import { type MeasuredOperation, measuredOperations } from "./operations.ts";
import { postgresCpuMs } from "./postgres-cpu.ts";
import { markdown } from "./report.ts";
import { send } from "./requests.ts";
import { digits } from "./row.ts";
import { startWorkerd } from "./workerd.ts";

/** The number of runs of a bare statement per measurement: a single run is too short to measure. */
const repeats = 20;

/**
 * Measures every operation, alternating with a Worker that runs `select 1` on the same database,
 * through the same driver and server. Measures the elapsed time, and the CPU time of Postgres and
 * of the Worker. For the core operations, also measures the CPU time of their bare statements.
 * @param bindingsUrl the database of `loaded.bindings`
 */
export async function operationTable(
  loaded: Readonly<Record<MeasuredOperation["data"], Loaded>>,
  bindingsUrl: string,
  rounds: number,
): Promise<string> {
  const bareConnection = await connectTo(bindingsUrl);
  const bare = await prepareBareStatements(bareConnection);
  const script = bundle({ module: "test/bench/select-one-worker.ts" }).script;
  const lines: string[][] = [];
  for (const operation of measuredOperations.filter(({ isLong }) => !isLong)) {
    const ours = loaded[operation.data];
    const selectOne = await startWorkerd({ ...ours.source, modules: { "entry.js": script } });
    const reference = { ...ours, worker: selectOne };
    const request = { method: "GET", path: "/" } as const;
    try {
      for (let warm = 0; warm < 40; warm++) {
        await ask(ours, operation);
        await send(selectOne.origin, request);
      }
      const turns = await takeTurns<Cost>(
        rounds,
        () => ask(ours, operation),
        () => ask(reference, { ...operation, status: 200, requests: async () => [request] }),
      );
      const { ratio, ...figures } = comparisonOf(
        turns.map((turn) => ({ ours: turn.ours.ms, reference: turn.reference.ms })),
      );
      const cpuOf = (name: "postgresMs" | "workerMs") =>
        figure(turns.map((turn) => turn.ours[name])).median;
      const cpu = (name: "postgresMs" | "workerMs") => `${digits(cpuOf(name))} ms`;
      const run = bare[operation.name];
      const bareMs =
        run === undefined ? undefined : await cpuOfBareStatements(ours.client, rounds, run);
      lines.push([
        operation.name,
        `${digits(figures.ours.median)} ms`,
        `${digits(figures.reference.median)} ms`,
        `${digits(ratio.median)} × ± ${(ratio.spread * 100).toFixed(0)} %`,
        cpu("postgresMs"),
        cpu("workerMs"),
        bareMs === undefined ? "" : `${digits(bareMs)} ms`,
        bareMs === undefined ? "" : `${digits(cpuOf("postgresMs") / bareMs)} ×`,
      ]);
    } finally {
      await selectOne.stop();
    }
  }
  await bareConnection.end();
  return markdown(
    [
      "operation",
      "p50",
      "`select 1`",
      "ratio",
      "CPU of Postgres",
      "CPU of the Worker",
      "bare statements",
      "ratio",
    ],
    lines,
  );
}

/** The CPU time of Postgres for one run of bare statements, in milliseconds. */
async function cpuOfBareStatements(
  client: pg.Client,
  rounds: number,
  run: () => Promise<unknown>,
): Promise<number> {
  const measured: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const total = await postgresCpuMs(client, async () => {
      for (let repeat = 0; repeat < repeats; repeat++) {
        await run();
      }
    });
    measured.push(total / repeats);
  }
  return figure(measured.slice(1)).median;
}
