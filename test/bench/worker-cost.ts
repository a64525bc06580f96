import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { type Bundle, bundle, workerSource } from "./bundle.ts";
import type { Loaded } from "./loaded.ts";
import { compare } from "./measure.ts";
import { cpuMs } from "./process.ts";
import { send, sendMany } from "./requests.ts";
import { atMost, digits, type Row, withUnit } from "./row.ts";
import { list, ordinary } from "./scene.ts";
import { recordCalls, requestOf, type SentCall } from "./statements.ts";
import { type RunningWorker, startWorkerd, type WorkerSource } from "./workerd.ts";

/** Starts a server that gives the same response to every request. */
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

/**
 * A handler of a few lines that does the necessary work of a list: hash the key, query with a
 * deadline, parse the response, write different JSON, and write a log line.
 */
const byHand = (endpoint: string, call: SentCall) => `
const call = ${requestOf(call)};
const encoder = new TextEncoder();
export default {
  async fetch(request) {
    await crypto.subtle.digest("SHA-256", encoder.encode(request.headers.get("Authorization")));
    const response = await fetch(${JSON.stringify(endpoint)}, {
      ...call,
      signal: AbortSignal.timeout(8000),
    });
    const answer = JSON.stringify(JSON.parse(await response.text()));
    console.log(JSON.stringify({ method: "GET", status: 200, request_id: crypto.randomUUID() }));
    return new Response(answer, { headers: { "Content-Type": "application/json" } });
  },
};`;

/**
 * For a list of 50 records, compares the CPU time of the Worker, and of the packages alone, with
 * that of a Worker written by hand. All of them get the database's recorded response from a server
 * that only replays it.
 */
async function listRows(
  { server }: Loaded,
  built: { service: Bundle; packages: Bundle },
  name: "bindings" | "credentials",
  rounds: number,
): Promise<Row[]> {
  const request = list(`${name}?limit=50`, ordinary);
  const {
    calls: [call],
  } = await recordCalls(server, request);
  if (!call) {
    throw new Error(`${name}: no call was recorded`);
  }
  const replay = await startReplay(call.answer);
  const { connectionString } = server;
  const source = workerSource(built.service, { endpoint: replay.endpoint, connectionString });
  const ours = await startWorkerd(source);
  const packages = await startWorkerd({
    ...source,
    modules: { "entry.js": built.packages.script },
  });
  const hand = await startWorkerd({ modules: { "entry.js": byHand(replay.endpoint, call) } });
  const amount = 2000;
  const cpuPerRequest =
    ({ origin, pid }: RunningWorker) =>
    async () => {
      const before = cpuMs(pid);
      await sendMany(origin, request, { amount, connections: 4 });
      return (cpuMs(pid) - before) / amount;
    };
  try {
    // V8's compiler needs some requests to optimize the code.
    for (const warm of [ours, packages, hand].map(cpuPerRequest)) {
      await warm();
      await warm();
    }
    const againstHand = async (worker: RunningWorker, what: string): Promise<Row> => {
      const comparison = await compare(rounds, cpuPerRequest(worker), cpuPerRequest(hand));
      return {
        what,
        ours: withUnit(comparison.ours, "ms"),
        reference: withUnit(comparison.reference, "ms"),
        value: comparison.ratio.median,
        unit: "×",
        spread: comparison.ratio.spread,
      };
    };
    return [
      {
        ...(await againstHand(
          ours,
          `CPU of the Worker for a list of 50 ${name}, against the same by hand`,
        )),
        bound: atMost(1.5),
        note: `${digits(call.answer.length / 1024)} KiB from the database; by hand: hash the key, fetch with a deadline, parse, write JSON and a line of log`,
      },
      await againstHand(
        packages,
        `the packages alone for a list of 50 ${name}, against the same by hand`,
      ),
    ];
  } finally {
    await Promise.all([ours, packages, hand, replay].map((running) => running.stop()));
  }
}

/** A Worker that does nothing. */
const emptyWorker = "export default { fetch: () => new Response() };";

/**
 * The time from the start of the program to its first response, compared with that of an empty
 * Worker.
 */
async function startRow({ source }: Loaded, rounds: number): Promise<Row> {
  const start = async (started: WorkerSource) => {
    const before = performance.now();
    const worker = await startWorkerd(started);
    await send(worker.origin, { method: "GET", path: "/api/version" });
    const after = performance.now();
    await worker.stop();
    return after - before;
  };
  const { ours, reference, ratio } = await compare(
    rounds * 2,
    () => start(source),
    () => start({ modules: { "entry.js": emptyWorker } }),
  );
  return {
    what: "workerd, from its start to the first answer, against an empty Worker",
    ours: withUnit(ours, "ms"),
    reference: withUnit(reference, "ms"),
    value: ratio.median,
    unit: "×",
    spread: ratio.spread,
    bound: atMost(2.5),
  };
}

/** The size of the bundle; `npm run check:bundle` limits it. */
const bundleRow = ({ gzippedBytes }: Bundle): Row => ({
  what: "bundle, gzipped",
  ours: `${digits(gzippedBytes / 1024)} KB`,
  value: gzippedBytes / 1024,
  unit: "KB",
});

/** Measures the cost of the Worker itself, without the database. */
export async function workerRows(loaded: Loaded, service: Bundle, rounds: number): Promise<Row[]> {
  const built = { service, packages: bundle({ module: "test/bench/packages-alone-worker.ts" }) };
  return [
    ...(await listRows(loaded, built, "bindings", rounds)),
    ...(await listRows(loaded, built, "credentials", rounds)),
    await startRow(loaded, rounds),
    bundleRow(service),
  ];
}
