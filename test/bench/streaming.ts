import { serviceBindingColumns } from "../../src/inventory/bindings/model.ts";
import type { Loaded } from "./loaded.ts";
import { compare, figure } from "./measure.ts";
import { forgetPeak, memoryMib, peakMemoryMib } from "./process.ts";
import { type BenchRequest, send } from "./requests.ts";
import { atMost, digits, type Row, withUnit } from "./row.ts";
import { idOf, largest, list } from "./scene.ts";
import { recordCalls, requestOf } from "./statements.ts";
import { smallHeapMib, startWorkerd, type WorkerSource } from "./workerd.ts";

/** Reads a complete list from a new Worker that has already answered some small requests. */
async function streamOnce(source: WorkerSource, everything: BenchRequest) {
  const worker = await startWorkerd(source);
  try {
    for (let warm = 0; warm < 20; warm++) {
      await send(worker.origin, list("bindings"));
    }
    forgetPeak(worker.pid);
    const resting = memoryMib(worker.pid);
    const { totalMs, firstByteMs } = await send(worker.origin, everything, { keepBody: false });
    return { totalMs, firstByteMs, growthMib: peakMemoryMib(worker.pid) - resting };
  } finally {
    await worker.stop();
  }
}

/** Measures the time with an unlimited heap, and the memory with a small one. */
async function rowsOf(
  { source }: Loaded,
  { path, records, firstByte }: { path: string; records: number; firstByte: number },
  rounds: number,
): Promise<Row[]> {
  const [times, firstBytes, growths, freeGrowths]: [number[], number[], number[], number[]] = [
    [],
    [],
    [],
    [],
  ];
  for (let round = 0; round < rounds; round++) {
    const free = await streamOnce(source, list(path));
    times.push(free.totalMs);
    firstBytes.push(free.firstByteMs);
    freeGrowths.push(free.growthMib);
    growths.push((await streamOnce({ ...source, heapMib: smallHeapMib }, list(path))).growthMib);
  }
  const [time, first, growth] = [figure(times), figure(firstBytes), figure(growths)];
  const of = `GET ${path} over ${records.toLocaleString("en")}`;
  return [
    {
      what: `${of}: rows a second`,
      ours: `${digits(time.median / 1000)} s`,
      value: records / (time.median / 1000),
      unit: "rows/s",
      spread: time.spread,
    },
    {
      what: `${of}: first byte`,
      ours: withUnit(first, "ms"),
      value: first.median,
      unit: "ms",
      spread: first.spread,
      bound: atMost(firstByte),
    },
    {
      what: `${of}: growth of the Worker's peak memory, with a heap of ${smallHeapMib} MiB`,
      ours: withUnit(growth, "MiB"),
      value: growth.median,
      unit: "MiB",
      spread: growth.spread,
      bound: atMost(64),
      note: `${digits(figure(freeGrowths).median)} MiB without a limit of the heap`,
    },
  ];
}

/**
 * Compares a complete list with a plain, unordered select of the same columns in one call, whose
 * result a Worker passes through as one response.
 */
async function plainRow({ server, worker }: Loaded, rounds: number): Promise<Row> {
  const {
    calls: [call],
  } = await recordCalls(server, list("bindings?limit=0&offset=1000000"));
  if (!call) {
    throw new Error("no call was recorded");
  }
  const query = `select ${Object.keys(serviceBindingColumns).join(", ")} from bindings
    where valid_to is null and organization_id = '${idOf("organization", 1)}'`;
  const plain = await startWorkerd({
    modules: {
      "entry.js": `
const call = ${requestOf(call, { query, params: [] })};
export default { fetch: () => fetch(${JSON.stringify(server.endpoint)}, call) };`,
    },
  });
  const time = (origin: string) => async () =>
    (await send(origin, list("bindings?limit=0", largest), { keepBody: false })).totalMs;
  try {
    const comparison = await compare(rounds, time(worker.origin), time(plain.origin));
    return {
      what: "GET bindings?limit=0, against a plain select of the same columns, passed through",
      ours: withUnit(comparison.ours, "ms"),
      reference: withUnit(comparison.reference, "ms"),
      value: comparison.ratio.median,
      unit: "×",
      spread: comparison.ratio.spread,
      bound: atMost(1.3),
    };
  } finally {
    await plain.stop();
  }
}

/** Measures `limit=0`: rows per second, the first byte, and the Worker's memory. */
export const streamingRows = async (
  loaded: Loaded,
  { hosts, bindings }: { hosts: number; bindings: number },
  rounds: number,
): Promise<Row[]> => [
  ...(await rowsOf(loaded, { path: "bindings?limit=0", records: bindings, firstByte: 25 }, rounds)),
  await plainRow(loaded, rounds),
  ...(await rowsOf(
    loaded,
    { path: "hosts?limit=0", records: hosts, firstByte: 150 },
    Math.ceil(rounds / 3),
  )),
];
