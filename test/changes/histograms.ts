import { expect } from "vitest";
import * as z from "zod";
import { type Histogram, histogramSchema } from "../../src/changes/histogram-model.ts";
import type { Change } from "../../src/changes/model.ts";
import type { Answer } from "../helpers/api.ts";

export const histogramAnswer = z.object({ data: histogramSchema });

/** Sends a GET request. The path includes the query, and is relative to /api/v1. */
type Get = (path: string) => Promise<Answer>;

export const pathOf = (query: readonly (readonly [string, string])[]) =>
  `changes/histogram?${new URLSearchParams(query.map(([name, value]) => [name, value]))}`;

export async function histogramOf(get: Get, query: Readonly<Record<string, string>> = {}) {
  const answer = await get(pathOf(Object.entries(query)));
  expect(answer).toMatchObject({ status: 200 });
  return histogramAnswer.parse(answer.body).data;
}

export const countOf = ({ begun, changed, ended }: Histogram["buckets"][number]) =>
  Number(begun) + Number(changed) + Number(ended);

export const sumOf = ({ buckets }: Histogram) =>
  buckets.reduce((sum, bucket) => sum + countOf(bucket), 0);

/** The buckets that a list of changes has, computed from the definition in the contract. */
export function bucketsOf(changes: readonly Change[], { from, interval_ms }: Histogram) {
  const start = Date.parse(from);
  const parts = Map.groupBy(changes, ({ at }) => Math.ceil((Date.parse(at) - start) / interval_ms));
  return [...parts].map(([nth, part]) => {
    const of = (...kinds: Change["change"][]) =>
      part.filter(({ change }) => kinds.includes(change)).length;
    return {
      at: new Date(start + (nth - 1) * interval_ms).toISOString(),
      begun: of("created", "returned"),
      changed: of("updated"),
      ended: of("deleted"),
      transactions: new Set(part.map(({ at }) => at)).size,
      first_at: part[0]?.at,
      last_at: part.at(-1)?.at,
    };
  });
}
