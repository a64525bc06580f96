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
import { sendMany } from "./requests.ts";
import { atMost, digits, type Row, shown } from "./row.ts";
import { list, ordinary, type Scene } from "./scene.ts";
import { recordCalls, type SentStatement } from "./statements.ts";
import { type RunningWorker, startWorkerd } from "./workerd.ts";

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

const callOf = (
  { host, connection, "content-length": length, ...headers }: Record<string, string>,
  body: string,
) => JSON.stringify({ method: "POST", headers, body });

/**
 * A handler that makes a call to the database and passes its answer through.
 * @param headers those of a call of the Worker
 * @param body the call's own, or one statement in its place
 */
export const passThrough = (
  endpoint: string,
  headers: Record<string, string>,
  body: string | SentStatement,
) => `
const call = ${callOf(headers, typeof body === "string" ? body : JSON.stringify(body))};
export default { fetch: () => fetch(${JSON.stringify(endpoint)}, call) };`;

/**
 * A handler of a few lines that does what every list must: hash the key, ask with a deadline, read
 * the answer, turn it into other JSON, and write a line of log.
 */
const byHand = (endpoint: string, headers: Record<string, string>, body: string) => `
const call = ${callOf(headers, body)};
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
 * CPU of the Worker for a list of 50, against a handler that makes the same call and passes the
 * answer through. Both get the recorded answer of the database from a server that only replays it.
 */
async function rowsOf(scene: Scene, name: "bindings" | "credentials"): Promise<Row[]> {
  const request = list(`${name}?limit=50`, ordinary);
  const {
    calls: [call],
  } = await recordCalls(scene.server, request);
  if (!call) {
    throw new Error(`${name}: no call was recorded`);
  }
  const replay = await startReplay(call.answer);
  const { connectionString } = scene.server;
  const handler = (make: typeof byHand) =>
    startWorkerd({ modules: { "entry.js": make(replay.endpoint, call.headers, call.body) } });
  const ours = await startWorkerd(
    workerSource(scene.bundle, { endpoint: replay.endpoint, connectionString }),
  );
  const [through, hand] = [await handler(passThrough), await handler(byHand)];
  try {
    const amount = scene.isQuick ? 2000 : 5000;
    const cpuPerRequest =
      ({ origin, pid }: RunningWorker) =>
      async () => {
        const before = cpuMs(pid);
        await sendMany(origin, request, { amount, connections: 4 });
        return (cpuMs(pid) - before) / amount;
      };
    const row = async (what: string, reference: RunningWorker): Promise<Row> => {
      const found = await compare(scene.rounds, cpuPerRequest(ours), cpuPerRequest(reference));
      return {
        what: `Worker CPU per list of 50 ${name}, against a handler that ${what}`,
        ours: shown(found.ours, "ms"),
        reference: shown(found.reference, "ms"),
        value: found.ratio.median,
        unit: "×",
        spread: found.ratio.spread,
        note: `${digits(call.answer.length / 1024)} KiB from the database`,
      };
    };
    // The compiler of V8 needs some requests before it gives its best.
    for (const { origin } of [ours, through, hand]) {
      await sendMany(origin, request, { amount, connections: 4 });
    }
    return [
      { ...(await row("passes one fetch through", through)), bound: atMost(1.6) },
      await row("hashes, fetches with a deadline, parses, writes JSON and logs, by hand", hand),
    ];
  } finally {
    await Promise.all([ours, through, hand, replay].map((running) => running.stop()));
  }
}

/** What lists cost the Worker itself. */
export async function listRows(scene: Scene): Promise<Row[]> {
  return [...(await rowsOf(scene, "bindings")), ...(await rowsOf(scene, "credentials"))];
}
