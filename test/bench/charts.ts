import { chart } from "./chart.ts";
import type { LatencyPoint } from "./latency.ts";
import type { StreamPoint } from "./streaming.ts";
import { smallHeapMib } from "./workerd.ts";

/** The time of every operation against the distance of the database. */
export function latencyChart(points: readonly LatencyPoint[]): string {
  const operations = [...new Set(points.map(({ operation }) => operation))];
  const delays = [...new Set(points.map(({ delayMs }) => delayMs))];
  const oneRoundTrip = { name: "one round trip", isReference: true };
  return chart("Median time of every operation against the distance of the database", [
    {
      title: "Every operation is one round trip",
      xLabel: "distance of the database, ms per call",
      yLabel: "p50, ms",
      series: [
        ...operations.map((name) => ({
          name,
          points: points
            .filter(({ operation }) => operation === name)
            .map(({ delayMs, medianMs }) => ({ x: delayMs, y: medianMs })),
        })),
        { ...oneRoundTrip, points: delays.map((delay) => ({ x: delay, y: delay })) },
      ],
    },
  ]);
}

/** Time and memory against the number of rows that `limit=0` lists. */
export const streamChart = (points: readonly StreamPoint[]): string =>
  chart("Time and memory of limit=0 against the number of bindings", [
    {
      title: "limit=0: time",
      xLabel: "bindings",
      yLabel: "seconds to the last byte",
      series: [
        { name: "time", points: points.map(({ rows, seconds }) => ({ x: rows, y: seconds })) },
      ],
    },
    {
      title: "limit=0: memory",
      xLabel: "bindings",
      yLabel: `growth of the peak memory, MiB, heap of ${smallHeapMib}`,
      series: [
        {
          name: "memory",
          points: points.map(({ rows, growthMib }) => ({ x: rows, y: growthMib })),
        },
      ],
    },
  ]);
