import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { bundle, workerSource } from "../bench/bundle.ts";
import { type DatabaseProcess, startDatabaseProcess } from "../bench/database-process.ts";
import { keyOf } from "../bench/load.ts";
import { cpuMs, forgetPeak, memoryMib, peakMemoryMib } from "../bench/process.ts";
import { type BenchAnswer, send } from "../bench/requests.ts";
import { list } from "../bench/scene.ts";
import { type RunningWorker, smallHeapMib, startWorkerd } from "../bench/workerd.ts";

/** The number of requests that wait for changes (`maximumWaitingOfIsolate`), and of their organizations. */
const readers = 1000;
const organizations = 10;
const waitSeconds = 20;
/**
 * The maximum growth of workerd's memory. A Worker that only waits for a timer takes 51 MiB for 1,000
 * requests, and 94 MiB if it waits for a Durable Object. All JavaScript has to fit in the small heap.
 */
const boundMib = 144;
/** The maximum duration of other requests while the readers wait. */
const boundMs = 1000;

let database: DatabaseProcess;
let worker: RunningWorker;

before(async () => {
  database = await startDatabaseProcess({
    inventory: {
      namespace: "load",
      organizations,
      bindings: 1000,
      history: false,
      credentials: 10,
    },
  });
  const source = workerSource(bundle(), database);
  const [entry = ""] = Object.values(source.modules);
  worker = await startWorkerd({
    ...source,
    modules: {
      ...source.modules,
      "entry.js": `export { ChangeSignal } from "./index.js";${entry}`,
    },
    durableObjects: { CHANGE_SIGNAL: "ChangeSignal" },
    heapMib: smallHeapMib,
  });
});

after(async () => {
  await worker?.stop();
  await database?.stop();
});

const changesOf = (number: number, query: string) =>
  list(`changes?${query}`, keyOf(number, "Viewer"));

async function addHost(number: number, name: string): Promise<void> {
  const key = keyOf(number, "Owner");
  const { data } = bodyOf(await send(worker.origin, list("networks", key)));
  const json = { network_id: data[0].id, name };
  const path = "/api/v1/hosts";
  await send(worker.origin, { method: "POST", path, key, json }, { status: 201 });
}

const bodyOf = ({ body }: BenchAnswer) => JSON.parse(body);

test(`${readers} requests wait for changes with at most ${boundMib} MiB and without a database call, and only those of one organization return at its change`, {
  timeout: 300_000,
}, async (t) => {
  const numbers = Array.from({ length: organizations }, (_, index) => index + 1);
  const cursors = await Promise.all(
    numbers.map(async (number) => {
      // The records that the database was loaded with are not changes.
      await addHost(number, "first");
      const { meta } = bodyOf(await send(worker.origin, changesOf(number, "cursor=now")));
      return [number, meta.next_cursor] as const;
    }),
  );
  for (let warm = 0; warm < 50; warm++) {
    await send(worker.origin, list("bindings?limit=1000", keyOf(1, "Viewer")), { keepBody: false });
  }
  forgetPeak(worker.pid);
  const idleMib = memoryMib(worker.pid);
  const before = await database.calls();

  const ended = new Map<number, number>(numbers.map((number) => [number, 0]));
  const waiting = cursors.flatMap(([number, cursor]) =>
    Array.from({ length: readers / organizations }, async () => {
      const answer = await send(
        worker.origin,
        changesOf(number, `cursor=${cursor}&wait=${waitSeconds}`),
      );
      ended.set(number, (ended.get(number) ?? 0) + 1);
      return { number, answer };
    }),
  );
  while ((await database.calls()) < before + readers) {
    await sleep(50);
  }
  await sleep(1000);
  const callsBefore = await database.calls();
  const cpuBefore = cpuMs(worker.pid);
  await sleep(5000);
  assert.equal(await database.calls(), callsBefore, "a waiting request called the database");
  const cpu = cpuMs(worker.pid) - cpuBefore;
  const grownMib = memoryMib(worker.pid) - idleMib;
  const { totalMs } = await send(worker.origin, list("bindings", keyOf(2, "Owner")));
  const refused = await send(worker.origin, changesOf(1, `cursor=${cursors[0]?.[1]}&wait=20`));
  assert.deepEqual([bodyOf(refused).data, refused.headers["retry-after"]], [[], "5"]);
  assert.deepEqual(new Set(ended.values()), new Set([0]));

  const created = performance.now();
  await addHost(1, "new");
  const answers = await Promise.all(waiting.slice(0, readers / organizations));
  const wokenMs = performance.now() - created;
  assert.deepEqual(
    [...ended.values()],
    [readers / organizations, ...Array(organizations - 1).fill(0)],
  );
  for (const { answer } of answers) {
    assert.equal(bodyOf(answer).data[0].label, "new");
  }
  const callsAfter = await database.calls();
  for (const { number, answer } of await Promise.all(waiting)) {
    assert.equal(answer.headers["retry-after"], undefined);
    assert.equal(bodyOf(answer).data.length, number === 1 ? 1 : 0);
  }
  assert.equal(await database.calls(), callsAfter, "a request called the database after its wait");
  const peakMib = peakMemoryMib(worker.pid) - idleMib;
  t.diagnostic(
    `${readers} waiting requests: +${grownMib.toFixed(1)} MiB (peak +${peakMib.toFixed(1)} MiB), no database call and ${cpu.toFixed(0)} ms of CPU in 5 s, a page of another key in ${totalMs.toFixed(0)} ms; ${answers.length} of them returned ${wokenMs.toFixed(0)} ms after the change, with ${callsAfter - callsBefore - 4} calls`,
  );
  assert.ok(peakMib <= boundMib, `the Worker grew by ${peakMib} MiB`);
  assert.ok(totalMs < boundMs, `a page took ${totalMs} ms`);
});
