import { bindingColumns } from "../../src/inventory/bindings/model.ts";
import { workerSource } from "./bundle.ts";
import { passThrough } from "./list-cost.ts";
import { compare, type Figure, figure } from "./measure.ts";
import { cpuMs, forgetPeak, memoryMib, peakMemoryMib } from "./process.ts";
import { send } from "./requests.ts";
import { atLeast, atMost, digits, type Row, shown } from "./row.ts";
import { type Databases, type LoadedDatabase, largest, list, type Scene } from "./scene.ts";
import { recordCalls } from "./statements.ts";
import { smallHeapMib, startWorkerd, type WorkerSource } from "./workerd.ts";

/** A point of the chart: what it took to list everything. */
export interface StreamPoint {
  rows: number;
  seconds: number;
  /** By how much the Worker's peak memory grew. */
  growthMib: number;
}

interface Streamed {
  rows: number;
  milliseconds: Figure;
  firstByteMs: Figure;
  growthMib: Figure;
  /** The same where V8 may take as much as it likes. */
  freeGrowthMib: Figure;
  peakMib: Figure;
  /** Seconds of CPU, of the Worker and of the local database server. */
  workerCpu: Figure;
  serverCpu: Figure;
}

/**
 * Everything, against a plain select of the same columns in one call, which a Worker passes through.
 * Nothing is in order there, and one answer holds all of it.
 */
async function plainRow(scene: Scene, { server }: LoadedDatabase): Promise<Row> {
  const {
    calls: [call],
  } = await recordCalls(server, list("bindings?limit=0&offset=1000000"));
  if (!call) {
    throw new Error("no call was recorded");
  }
  const query = `select ${Object.keys(bindingColumns).join(", ")} from bindings where valid_to is null`;
  const ours = await startWorkerd(workerSource(scene.bundle, server));
  const plain = await startWorkerd({
    modules: { "entry.js": passThrough(server.endpoint, call.headers, { query, params: [] }) },
  });
  const time = (origin: string) => async () =>
    (await send(origin, everything, { keepBody: false })).totalMs;
  try {
    const found = await compare(scene.rounds, time(ours.origin), time(plain.origin));
    return {
      what: "limit=0 over 100,000 bindings, against a plain select of the same columns, passed through",
      ours: shown(found.ours, "ms"),
      reference: shown(found.reference, "ms"),
      value: found.ratio.median,
      unit: "×",
      spread: found.ratio.spread,
      bound: atMost(1.3),
    };
  } finally {
    await Promise.all([ours.stop(), plain.stop()]);
  }
}

const everything = list("bindings?limit=0", largest);

/** Lists everything once, by a fresh Worker that has answered small requests. */
async function streamOnce(source: WorkerSource) {
  const worker = await startWorkerd(source);
  try {
    for (let warm = 0; warm < 20; warm++) {
      await send(worker.origin, list("bindings", largest));
    }
    forgetPeak(worker.pid);
    const restingMib = memoryMib(worker.pid);
    const cpuBefore = cpuMs(worker.pid);
    const { totalMs, firstByteMs } = await send(worker.origin, everything, { keepBody: false });
    const spentMs = cpuMs(worker.pid) - cpuBefore;
    return {
      totalMs,
      firstByteMs,
      restingMib,
      peakMib: peakMemoryMib(worker.pid),
      cpuMs: spentMs,
    };
  } finally {
    await worker.stop();
  }
}

/** Lists everything several times, for its time as it is and for its memory with a small heap. */
async function stream(scene: Scene, { server, client }: LoadedDatabase): Promise<Streamed> {
  const { rows: counted } = await client.query<{ count: string }>(
    "select count(*) from bindings where valid_to is null and organization_id = (select id from organizations where name = 'bench 1')",
  );
  const times: number[] = [];
  const firstBytes: number[] = [];
  const growths: number[] = [];
  const freeGrowths: number[] = [];
  const peaks: number[] = [];
  const workerCpu: number[] = [];
  const serverCpu: number[] = [];
  const source = workerSource(scene.bundle, server);
  for (let round = 0; round < scene.rounds; round++) {
    const cpuBefore = cpuMs(server.pid);
    const fast = await streamOnce(source);
    times.push(fast.totalMs);
    firstBytes.push(fast.firstByteMs);
    workerCpu.push(fast.cpuMs / 1000);
    freeGrowths.push(fast.peakMib - fast.restingMib);
    serverCpu.push((cpuMs(server.pid) - cpuBefore) / 1000);
    const small = await streamOnce({ ...source, heapMib: smallHeapMib });
    growths.push(small.peakMib - small.restingMib);
    peaks.push(small.peakMib);
  }
  return {
    rows: Number(counted[0]?.count),
    milliseconds: figure(times),
    firstByteMs: figure(firstBytes),
    growthMib: figure(growths),
    freeGrowthMib: figure(freeGrowths),
    peakMib: figure(peaks),
    workerCpu: figure(workerCpu),
    serverCpu: figure(serverCpu),
  };
}

/** `limit=0`: rows a second, the first byte, and the Worker's memory. */
export async function streamingRows(
  scene: Scene,
  { tenth, million, stream: half, alone }: Databases,
): Promise<{ rows: Row[]; points: StreamPoint[] }> {
  const rows: Row[] = [];
  const points: StreamPoint[] = [];
  const measured: Streamed[] = [];
  for (const database of [tenth, million, half]) {
    const streamed = await stream(scene, database);
    points.push({
      rows: streamed.rows,
      seconds: streamed.milliseconds.median / 1000,
      growthMib: streamed.growthMib.median,
    });
    if (database !== tenth) {
      measured.push(streamed);
      rows.push(...boundRows(streamed));
    }
  }
  const [few, many] = measured;
  if (few && many) {
    const ratio = many.peakMib.median / few.peakMib.median;
    rows.push({
      what: "limit=0: the Worker's peak memory for 500,000 bindings with that heap, against 166,667",
      ours: `${digits(many.peakMib.median)} MiB`,
      reference: `${digits(few.peakMib.median)} MiB`,
      value: ratio,
      unit: "×",
      spread: Math.max(few.peakMib.spread, many.peakMib.spread),
      bound: atMost(1.2),
    });
  }
  rows.push(await plainRow(scene, alone));
  return { rows, points };
}

function boundRows(streamed: Streamed): Row[] {
  const { rows, milliseconds, firstByteMs, growthMib, freeGrowthMib, workerCpu, serverCpu } =
    streamed;
  const of = `limit=0 over ${rows.toLocaleString("en")} bindings`;
  const rate = rows / (milliseconds.median / 1000);
  return [
    {
      what: `${of}: rows a second`,
      ours: `${digits(milliseconds.median / 1000)} s`,
      value: rate,
      unit: "rows/s",
      spread: milliseconds.spread,
      bound: atLeast(80_000),
      note: `${shown(workerCpu, "s")} of CPU are the Worker's, ${shown(serverCpu, "s")} the local database server's; Postgres and the reader share the machine with them`,
    },
    {
      what: `${of}: first byte`,
      ours: `${digits(firstByteMs.median)} ms`,
      value: firstByteMs.median,
      unit: "ms",
      spread: firstByteMs.spread,
      bound: atMost(25),
    },
    {
      what: `${of}: growth of the Worker's peak memory, with a heap of ${smallHeapMib} MiB`,
      ours: `${digits(growthMib.median)} MiB`,
      value: growthMib.median,
      unit: "MiB",
      spread: growthMib.spread,
      bound: atMost(64),
      note: `${digits(freeGrowthMib.median)} MiB without a limit of the heap`,
    },
  ];
}
