import { bundle } from "./bundle.ts";
import { ask, type Cost, type Loaded } from "./loaded.ts";
import { comparisonOf, figure, takeTurns } from "./measure.ts";
import { type MeasuredOperation, measuredOperations } from "./operations.ts";
import { markdown } from "./report.ts";
import { send } from "./requests.ts";
import { digits } from "./row.ts";
import { startWorkerd } from "./workerd.ts";

/**
 * Measures every operation, alternating with a Worker that runs `select 1` on the same database,
 * through the same driver and server. Measures the elapsed time, and the CPU time of Postgres and
 * of the Worker.
 */
export async function operationTable(
  loaded: Readonly<Record<MeasuredOperation["data"], Loaded>>,
  rounds: number,
): Promise<string> {
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
      const cpu = (name: "postgresMs" | "workerMs") =>
        `${digits(figure(turns.map((turn) => turn.ours[name])).median)} ms`;
      lines.push([
        operation.name,
        `${digits(figures.ours.median)} ms`,
        `${digits(figures.reference.median)} ms`,
        `${digits(ratio.median)} × ± ${(ratio.spread * 100).toFixed(0)} %`,
        cpu("postgresMs"),
        cpu("workerMs"),
      ]);
    } finally {
      await selectOne.stop();
    }
  }
  return markdown(
    ["operation", "p50", "`select 1`", "ratio", "CPU of Postgres", "CPU of the Worker"],
    lines,
  );
}
