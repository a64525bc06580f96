import { workerSource } from "./bundle.ts";
import { compare } from "./measure.ts";
import { cpuMs } from "./process.ts";
import { requestsPerSecond, send } from "./requests.ts";
import { atLeast, atMost, digits, type Row, shown } from "./row.ts";
import type { Scene } from "./scene.ts";
import { type RunningWorker, startWorkerd, type WorkerSource } from "./workerd.ts";

/** A handler that answers with these bytes and these headers. */
const constant = (body: string, headers: Record<string, string>) => `
const body = ${JSON.stringify(body)};
const headers = ${JSON.stringify(headers)};
export default { fetch: () => new Response(body, { headers }) };`;

/** Requests a second of the version, against a handler that returns the same bytes. */
async function versionRow(scene: Scene): Promise<Row> {
  const request = { method: "GET", path: "/api/version" } as const;
  const ours = await startWorkerd(workerSource(scene.bundle, scene.server));
  const { body, headers } = await send(ours.origin, request);
  const {
    date,
    connection,
    "content-length": length,
    "transfer-encoding": encoding,
    ...same
  } = headers;
  const reference = await startWorkerd({ modules: { "entry.js": constant(body, same) } });
  try {
    const seconds = scene.isQuick ? 1 : 3;
    const load = { seconds, connections: 16 };
    // By the CPU that workerd used and not by the clock, as the generator runs on the same machine
    // and must not be what limits either of them.
    const rate = async ({ origin, pid }: RunningWorker) => {
      const before = cpuMs(pid);
      const answered = (await requestsPerSecond(origin, request, load)) * seconds;
      return answered / ((cpuMs(pid) - before) / 1000);
    };
    await rate(ours);
    await rate(reference);
    const found = await compare(
      scene.rounds,
      () => rate(ours),
      () => rate(reference),
    );
    return {
      what: "GET /api/version, requests a second, against a handler that returns the same bytes",
      ours: shown(found.ours, "/s"),
      reference: shown(found.reference, "/s"),
      value: found.ratio.median,
      unit: "×",
      spread: found.ratio.spread,
      bound: atLeast(0.8),
      note: "per second of workerd's CPU: it has one core, and the generator is not what limits",
    };
  } finally {
    await Promise.all([ours.stop(), reference.stop()]);
  }
}

/** From the start of the program to its first answer, with that of an empty Worker beside it. */
async function startRow(scene: Scene): Promise<Row> {
  const start = async (source: WorkerSource) => {
    const before = performance.now();
    const worker = await startWorkerd(source);
    await send(worker.origin, { method: "GET", path: "/api/version" });
    const after = performance.now();
    await worker.stop();
    return after - before;
  };
  const { ours, reference, ratio } = await compare(
    scene.rounds + 2,
    () => start(workerSource(scene.bundle, scene.server)),
    () => start({ modules: { "entry.js": constant("", {}) } }),
  );
  return {
    what: "workerd, from its start to the first answer",
    ours: shown(ours, "ms"),
    reference: `${digits(reference.median)} ms empty`,
    value: ratio.median,
    unit: "×",
    spread: ratio.spread,
    bound: atMost(2.5),
  };
}

/** What the Worker weighs. */
const bundleRow = ({ bundle }: Scene): Row => {
  const kilobytes = bundle.gzippedBytes / 1024;
  return {
    what: "bundle, gzipped",
    ours: `${digits(kilobytes)} KB`,
    value: kilobytes,
    unit: "KB",
    bound: atMost(150),
  };
};

/** What the Worker itself costs, apart from the database. */
export async function workerRows(scene: Scene): Promise<Row[]> {
  return [await versionRow(scene), bundleRow(scene), await startRow(scene)];
}
