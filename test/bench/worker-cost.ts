import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { workerSource } from "./bundle.ts";
import { compare } from "./measure.ts";
import { cpuMs } from "./process.ts";
import { requestsPerSecond, send, sendMany } from "./requests.ts";
import { atLeast, atMost, digits, type Row, shown } from "./row.ts";
import { list, ordinary, type Scene } from "./scene.ts";
import { recordCalls } from "./statements.ts";
import { type RunningWorker, startWorkerd, type WorkerSource } from "./workerd.ts";

/** A server that gives the same answer to whatever it is asked. */
async function startReplay(answer: string): Promise<{ endpoint: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "bench-replay-"));
  const file = join(folder, "answer.json");
  writeFileSync(file, answer);
  const child = fork(fileURLToPath(new URL("./replay-main.ts", import.meta.url)), [file]);
  const [message] = await once(child, "message");
  const { port } = z.object({ port: z.int() }).parse(message);
  return {
    endpoint: `http://127.0.0.1:${port}/sql`,
    async stop() {
      child.kill("SIGKILL");
      await once(child, "exit");
      rmSync(folder, { recursive: true });
    },
  };
}

/** A handler that makes the same call to the database and passes its answer through. */
const passThrough = (endpoint: string, headers: Record<string, string>, body: string) => `
const call = ${JSON.stringify({ method: "POST", headers, body })};
export default { fetch: () => fetch(${JSON.stringify(endpoint)}, call) };`;

/** A handler that answers with these bytes and these headers. */
const constant = (body: string, headers: Record<string, string>) => `
const body = ${JSON.stringify(body)};
const headers = ${JSON.stringify(headers)};
export default { fetch: () => new Response(body, { headers }) };`;

/**
 * CPU of the Worker for a list of 50, against a handler that makes the same call and passes the
 * answer through. Both get the recorded answer of the database from a server that only replays it.
 */
async function listRow(scene: Scene, name: "bindings" | "credentials"): Promise<Row> {
  const request = list(`${name}?limit=50`, ordinary);
  const {
    calls: [call],
  } = await recordCalls(scene.server, request);
  if (!call) {
    throw new Error(`${name}: no call was recorded`);
  }
  const replay = await startReplay(call.answer);
  const { connectionString } = scene.server;
  const ours = await startWorkerd(
    workerSource(scene.bundle, { endpoint: replay.endpoint, connectionString }),
  );
  const { host, connection, "content-length": length, ...headers } = call.headers;
  const reference = await startWorkerd({
    modules: { "entry.js": passThrough(replay.endpoint, headers, call.body) },
  });
  try {
    const amount = scene.isQuick ? 600 : 2000;
    const cpuPerRequest = async ({ origin, pid }: RunningWorker) => {
      const before = cpuMs(pid);
      await sendMany(origin, request, { amount, connections: 4 });
      return (cpuMs(pid) - before) / amount;
    };
    // The compiler of V8 needs some requests before it gives its best.
    await sendMany(ours.origin, request, { amount, connections: 4 });
    await sendMany(reference.origin, request, { amount, connections: 4 });
    const found = await compare(
      scene.rounds,
      () => cpuPerRequest(ours),
      () => cpuPerRequest(reference),
    );
    return {
      what: `Worker CPU per list of 50 ${name}, against a handler that passes one fetch through`,
      ours: shown(found.ours, "ms"),
      reference: shown(found.reference, "ms"),
      value: found.ratio.median,
      unit: "×",
      spread: found.ratio.spread,
      bound: atMost(1.6),
      note: `${digits(call.answer.length / 1024)} KiB from the database`,
    };
  } finally {
    await Promise.all([ours.stop(), reference.stop(), replay.stop()]);
  }
}

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
  const { ours, reference } = await compare(
    scene.rounds + 2,
    () => start(workerSource(scene.bundle, scene.server)),
    () => start({ modules: { "entry.js": constant("", {}) } }),
  );
  return {
    what: "workerd, from its start to the first answer",
    ours: shown(ours, "ms"),
    reference: `${digits(reference.median)} ms empty`,
    value: ours.median,
    unit: "ms",
    spread: ours.spread,
    bound: atMost(60),
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
    bound: atMost(120),
  };
};

/** What the Worker itself costs, apart from the database. */
export async function workerRows(scene: Scene): Promise<Row[]> {
  return [
    await listRow(scene, "bindings"),
    await listRow(scene, "credentials"),
    await versionRow(scene),
    bundleRow(scene),
    await startRow(scene),
  ];
}
