import { figure } from "./measure.ts";
import { send } from "./requests.ts";
import { atMost, digits, type Row } from "./row.ts";
import { list, operations, type Scene } from "./scene.ts";

/** A point of the chart: the median time of an operation at a distance of the database. */
export interface LatencyPoint {
  operation: string;
  delayMs: number;
  medianMs: number;
}

const bounds = new Map([
  [10, 1.35],
  [40, 1.12],
]);

/**
 * The median time of every operation, one request after the other, with the database at several
 * distances. The delay is injected by the local database server, once per call.
 */
export async function latencyRows(
  { server, isQuick }: Scene,
  origin: string,
): Promise<{ rows: Row[]; points: LatencyPoint[] }> {
  const measured = [
    ...operations().map((operation) => ({ ...operation, isBound: true })),
    {
      name: "list bindings of the largest organization",
      request: list("bindings"),
      isBound: false,
    },
  ];
  const rows: Row[] = [];
  const points: LatencyPoint[] = [];
  for (const delayMs of [0, 10, 20, 40]) {
    await server.delay(delayMs);
    for (const { name, request, isBound } of measured) {
      for (let warm = 0; warm < 5; warm++) {
        await send(origin, request);
      }
      const times: number[] = [];
      for (let sample = 0; sample < (isQuick ? 15 : 60); sample++) {
        times.push((await send(origin, request)).totalMs);
      }
      const { median, spread } = figure(times);
      points.push({ operation: name, delayMs, medianMs: median });
      const bound = bounds.get(delayMs);
      if (bound !== undefined) {
        rows.push({
          what: `p50 at d = ${delayMs} ms: ${name}`,
          ours: `${digits(median)} ms`,
          reference: `d = ${delayMs} ms`,
          value: median / delayMs,
          unit: "×",
          spread,
          ...(isBound ? { bound: atMost(bound) } : {}),
        });
      }
    }
  }
  await server.delay(0);
  return { rows, points };
}
