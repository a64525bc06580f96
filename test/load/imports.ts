/**
 * Continuously sends imports from one tenant to the Worker in bare workerd, concurrently with
 * imports from another tenant.
 *
 *   node --test test/load/imports.ts                            PGlite
 *   TEST_DATABASE_URL=postgresql://… node --test test/load/imports.ts
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import * as z from "zod";
import { bundle, workerSource } from "../bench/bundle.ts";
import { type DatabaseProcess, startDatabaseProcess } from "../bench/database-process.ts";
import { keyOf, loadDatabase } from "../bench/load.ts";
import { forgetPeak, memoryMib, peakMemoryMib } from "../bench/process.ts";
import { type BenchRequest, send } from "../bench/requests.ts";
import { type RunningWorker, startWorkerd } from "../bench/workerd.ts";
import { type MadeDatabase, makeDatabase } from "../local-database/postgres.ts";

const serverUrl = process.env["TEST_DATABASE_URL"];
const inventory = {
  namespace: "load",
  organizations: 2,
  history: false,
  bindings: 100,
  credentials: 10,
};
const boundMib = 64;
/**
 * V8 collects garbage late, when its heap is nearly full. A small heap reveals how much memory is
 * really needed.
 */
const heapMib = 64;

let made: MadeDatabase | undefined;
let database: DatabaseProcess;
let worker: RunningWorker;

before(async () => {
  if (serverUrl === undefined) {
    database = await startDatabaseProcess({ inventory });
  } else {
    made = await makeDatabase(serverUrl);
    const client = new pg.Client({ connectionString: made.databaseUrl });
    await client.connect();
    await loadDatabase(client, inventory);
    await client.end();
    database = await startDatabaseProcess({ databaseUrl: made.databaseUrl });
  }
  worker = await startWorkerd({ ...workerSource(bundle(), database), heapMib });
});

after(async () => {
  await worker?.stop();
  await database?.stop();
  await made?.drop();
});

const answer = z.object({ data: z.object({ id: z.string() }) });

/** Creates a network, and returns a request that imports hosts into it. */
async function importOf(key: string, hosts: number, ports: number): Promise<BenchRequest> {
  const network = await send(
    worker.origin,
    { method: "POST", path: "/api/v1/networks", key, json: { name: crypto.randomUUID() } },
    { status: 201 },
  );
  const json = {
    hosts: Array.from({ length: hosts }, (_, host) => ({
      hostname: `host-${host}.example.com`,
      addresses: [{ ip_address: `10.0.${host >> 8}.${host & 255}` }],
      ports: Array.from({ length: ports }, (_, port) => ({
        number: 1000 + port,
        protocol: "Tcp",
        service: { name: `Service ${port}` },
      })),
    })),
  };
  const { id } = answer.parse(JSON.parse(network.body)).data;
  return { method: "POST", path: `/api/v1/networks/${id}/imports`, key, json };
}

test("all imports of a tenant succeed while another tenant imports continuously", {
  timeout: 600_000,
}, async (t) => {
  const [steady, other] = [await importOf(keyOf(1), 1000, 3), await importOf(keyOf(2), 1000, 3)];
  const one = (await send(worker.origin, other)).totalMs;
  let isOver = false;
  const keepImporting = async () => {
    while (!isOver) {
      await send(worker.origin, steady).catch(() => {});
    }
  };
  // The organization sends more concurrent imports than its share, so that some of them wait.
  const busy = [keepImporting(), keepImporting(), keepImporting()];
  const waits: number[] = [];
  try {
    for (let count = 0; count < 5; count++) {
      // Throws unless the status is 200.
      waits.push((await send(worker.origin, other)).totalMs);
    }
  } finally {
    isOver = true;
    await Promise.all(busy);
  }
  t.diagnostic(
    `alone ${one.toFixed(0)} ms; concurrently with the others ${waits.map((ms) => ms.toFixed(0)).join(", ")} ms`,
  );
});

test(`two concurrent imports of the maximum size use at most ${boundMib} MiB more than one`, {
  timeout: 600_000,
}, async (t) => {
  const imports = await Promise.all([1, 2].map((number) => importOf(keyOf(number), 5000, 6)));
  const [first] = imports;
  assert(first);
  const idle = memoryMib(worker.pid);
  const peakOf = async (sent: readonly BenchRequest[]) => {
    forgetPeak(worker.pid);
    await Promise.allSettled(sent.map((each) => send(worker.origin, each)));
    return peakMemoryMib(worker.pid) - idle;
  };
  const [alone, both] = [await peakOf([first]), await peakOf(imports)];
  t.diagnostic(
    `one +${alone.toFixed(1)} MiB on ${idle.toFixed(0)}, two from two tenants +${both.toFixed(1)} MiB`,
  );
  assert.ok(both - alone < boundMib);
});
