import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { bundle, workerSource } from "../bench/bundle.ts";
import { type DatabaseProcess, startDatabaseProcess } from "../bench/database-process.ts";
import { keyOf } from "../bench/load.ts";
import { forgetPeak, memoryMib, peakMemoryMib } from "../bench/process.ts";
import { send } from "../bench/requests.ts";
import { list } from "../bench/scene.ts";
import { type RunningWorker, smallHeapMib, startWorkerd } from "../bench/workerd.ts";

/**
 * The number of clients that request `limit=0` and do not read the response. The Worker runs in
 * bare workerd. Each list is larger than the local socket buffers, so that every stream really
 * stalls.
 */
const readers = 500;
/**
 * The number of concurrent readers. A reader without a stream gets an error after waiting five
 * seconds.
 */
const atOnce = 100;
const attackers = 5;
const bindingsOfAttacker = 20_000;
const boundMib = 64;

let database: DatabaseProcess;
let worker: RunningWorker;

before(async () => {
  database = await startDatabaseProcess({
    inventory: {
      namespace: "load",
      // The first organization has half of all records.
      organizations: attackers,
      bindings: bindingsOfAttacker * 2 * (attackers - 1),
      history: false,
      credentials: 10,
    },
  });
  worker = await startWorkerd({ ...workerSource(bundle(), database), heapMib: smallHeapMib });
});

after(async () => {
  await worker?.stop();
  await database?.stop();
});

/** The maximum time that another organization waits for the first byte of a list. */
const boundMs = 1000;
/** The maximum number of concurrent streams of one organization, across all its keys. */
const streamsOfOne = 8;

/**
 * Requests a list and stops reading after the response headers. Resolves to the socket, the status
 * and the headers.
 */
function openStalled(key: string): Promise<{ socket: Socket; status: number; head: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(worker.origin).port), "127.0.0.1");
    socket.on("error", reject);
    socket.once("data", (bytes) => {
      socket.pause();
      const head = bytes.toString("latin1");
      resolve({ socket, status: Number(head.split(" ")[1]), head });
    });
    socket.write(
      `GET /api/v1/bindings?limit=0 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
  });
}

test(`${readers} stalled readers use at most ${boundMib} MiB, and other requests are served`, {
  timeout: 600_000,
}, async () => {
  const keys = Array.from({ length: attackers }, (_, index) => [
    keyOf(index + 1, "Owner"),
    keyOf(index + 1, "Viewer"),
  ]).flat();
  const [first = "", other = ""] = keys;
  for (let warm = 0; warm < 50; warm++) {
    await send(worker.origin, list("bindings?limit=1000", other), { keepBody: false });
  }
  forgetPeak(worker.pid);
  const idle = memoryMib(worker.pid);
  const statuses: Record<number, number> = {};
  const sockets: Socket[] = [];
  const slowest = { ms: 0 };
  // A fifth of the readers use one key. That key alone must not be able to fill the isolate.
  const alone = Array.from({ length: readers / 5 }, () => first);
  const others = Array.from(
    { length: readers - alone.length },
    (_, index) => keys[index % keys.length] ?? "",
  );
  for (let opened = 0; opened < readers; opened += atOnce) {
    const batch = await Promise.all(
      [...alone, ...others].slice(opened, opened + atOnce).map(openStalled),
    );
    for (const { socket, status, head } of batch) {
      sockets.push(socket);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status !== 200) {
        assert.match(head, /\r\nretry-after: [1-9]\d*\r\n/i);
      }
    }
    const { totalMs } = await send(worker.origin, list("bindings", other));
    slowest.ms = Math.max(slowest.ms, totalMs);
  }
  await sleep(2000);
  const grownMib = memoryMib(worker.pid) - idle;
  const peakMib = peakMemoryMib(worker.pid) - idle;
  console.log(
    `${readers} stalled readers: ${JSON.stringify(statuses)} by status, +${grownMib.toFixed(1)} MiB (peak +${peakMib.toFixed(1)} MiB); slowest concurrent page for another key ${slowest.ms.toFixed(0)} ms`,
  );
  assert.deepEqual(Object.keys(statuses), ["200", "429", "503"]);
  assert.ok(peakMib <= boundMib, `the Worker grew by ${peakMib} MiB`);

  // Clients that disconnect release their streams immediately, without a deadline.
  for (const socket of sockets) {
    socket.destroy();
  }
  await sleep(2000);
  await send(worker.origin, list("bindings?limit=0", other), { keepBody: false });
});

test(`two keys of one organization leave streams for other organizations, which wait at most ${boundMs} ms`, {
  timeout: 600_000,
}, async (t) => {
  const keys = [keyOf(1, "Owner"), keyOf(1, "Viewer")];
  const opened = await Promise.all(
    Array.from({ length: 4 * streamsOfOne }, (_, index) =>
      openStalled(keys[index % keys.length] ?? ""),
    ),
  );
  const firstBytes: number[] = [];
  const pages: number[] = [];
  for (let count = 0; count < 5; count++) {
    for (const number of [2, 3]) {
      // Throws unless the status is 200.
      const whole = list("bindings?limit=0", keyOf(number, "Viewer"));
      firstBytes.push((await send(worker.origin, whole, { keepBody: false })).firstByteMs);
      pages.push((await send(worker.origin, list("bindings", keyOf(number, "Owner")))).totalMs);
    }
  }
  for (const { socket } of opened) {
    socket.destroy();
  }
  const served = opened.filter(({ status }) => status === 200).length;
  t.diagnostic(
    `${served} of ${opened.length} stalled lists of one organization were opened; those of two other organizations began after ${Math.max(...firstBytes).toFixed(0)} ms at most, their pages took ${Math.max(...pages).toFixed(0)} ms at most`,
  );
  assert.equal(served, streamsOfOne);
  assert.ok(Math.max(...firstBytes, ...pages) < boundMs);
});
