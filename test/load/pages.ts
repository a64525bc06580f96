/**
 * Reads the largest pages from the Worker in bare workerd, while another tenant sends small
 * requests.
 *
 *   node --test test/load/pages.ts                            PGlite
 *   TEST_DATABASE_URL=postgresql://… node --test test/load/pages.ts
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { neon, neonConfig } from "@neondatabase/serverless";
import pg from "pg";
import { bundle, workerSource } from "../bench/bundle.ts";
import { type DatabaseProcess, startDatabaseProcess } from "../bench/database-process.ts";
import { keyOf, loadDatabase } from "../bench/load.ts";
import { forgetPeak, memoryMib, peakMemoryMib } from "../bench/process.ts";
import { type BenchRequest, send } from "../bench/requests.ts";
import { list } from "../bench/scene.ts";
import { type RunningWorker, smallHeapMib, startWorkerd } from "../bench/workerd.ts";
import { recountRecords } from "../helpers/record-counts.ts";
import { type MadeDatabase, makeDatabase } from "../local-database/postgres.ts";

const readers = 8;
const boundMib = 64;
const boundMs = 1000;

const serverUrl = process.env["TEST_DATABASE_URL"];
const inventory = {
  namespace: "load",
  organizations: 2,
  history: false,
  bindings: 100,
  credentials: 10,
};

/**
 * Each character takes one byte in the database and six in the response, so a page is larger than
 * its records.
 */
const controls = "\u0001".repeat(2048);

/** Hosts on a new network, each with `parts` children of each kind. */
const shapes = [
  { name: "40 hosts with 500 of each kind", hosts: 40, parts: 500, query: "", url: null },
  {
    name: "10,000 hosts with 5 of each kind",
    hosts: 10_000,
    parts: 5,
    query: "&limit=1000",
    url: null,
  },
  { name: "3 hosts with 5,000 of each kind", hosts: 3, parts: 5000, query: "", url: null },
  {
    name: "300 hosts of control characters",
    hosts: 300,
    parts: 0,
    query: "&limit=300",
    url: controls,
  },
] as const;

let made: MadeDatabase | undefined;
let database: DatabaseProcess;
let worker: RunningWorker;
let sql: ReturnType<typeof neon>;

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
  neonConfig.fetchEndpoint = database.endpoint;
  sql = neon(database.connectionString);
});

after(async () => {
  await worker?.stop();
  await database?.stop();
  await made?.drop();
});

/** Creates a shape's hosts on a new network of the first organization. Returns the network's id. */
async function make({
  hosts,
  parts,
  url,
}: {
  hosts: number;
  parts: number;
  url: string | null;
}): Promise<string> {
  const network = crypto.randomUUID();
  await sql.transaction([
    sql`set local session_replication_role = replica`,
    sql`insert into networks (id, organization_id, name)
      select ${network}, id, ${network} from organizations where name = 'load 1'`,
    sql`insert into hosts (organization_id, network_id, name, management_url, last_seen_at, valid_from)
      select organization_id, id, 'Host ' || number, ${url}, now(), now()
      from networks, generate_series(1, ${hosts}::int) as number where id = ${network}`,
    sql`insert into ports (organization_id, network_id, host_id, number, protocol, last_seen_at, valid_from)
      select organization_id, network_id, id, number, 'Tcp', now(), now()
      from hosts, generate_series(1, ${parts}::int) as number where network_id = ${network}`,
    sql`insert into ip_addresses (organization_id, network_id, host_id, address, last_seen_at, valid_from)
      select organization_id, network_id, id, inet '10.0.0.0' + number, now(), now()
      from hosts, generate_series(1, ${parts}::int) as number where network_id = ${network}`,
    sql`insert into services (organization_id, network_id, host_id, name, service_definition, position,
        last_seen_at, valid_from)
      select organization_id, network_id, id, 'Service ' || number, 'Service', number, now(), now()
      from hosts, generate_series(1, ${parts}::int) as number where network_id = ${network}`,
    sql`insert into bindings (organization_id, network_id, host_id, type, service_id, port_id,
        last_seen_at, valid_from)
      select service.organization_id, service.network_id, service.host_id, 'Port', service.id, port.id,
        now(), now()
      from services as service join ports as port
        on port.host_id = service.host_id and port.number = service.position
      where service.network_id = ${network}`,
    sql.query(recountRecords, [null]),
  ]);
  await sql`analyze`;
  return network;
}

for (const { name, hosts, parts, query, url } of shapes) {
  test(`${readers} readers of ${name} use at most ${boundMib} MiB, and other requests are served`, {
    timeout: 900_000,
    // PGlite executes the eight large queries one by one, so small pages would wait for all of
    // them.
    skip: url === controls && serverUrl === undefined && "needs a Postgres server",
  }, async (t) => {
    const network = await make({ hosts, parts, url });
    worker = await startWorkerd({ ...workerSource(bundle(), database), heapMib: smallHeapMib });
    const [reader, other] = [keyOf(1), keyOf(2)];
    for (let warm = 0; warm < 20; warm++) {
      await send(worker.origin, list("bindings?limit=50", reader), { keepBody: false });
      await send(worker.origin, list("bindings?limit=50", other), { keepBody: false });
    }
    forgetPeak(worker.pid);
    const idle = memoryMib(worker.pid);
    const page = list(`hosts?network_id=${network}${query}`, reader);
    let isReading = true;
    const watch = async (small: BenchRequest) => {
      const waits: number[] = [];
      while (isReading) {
        waits.push((await send(worker.origin, small)).totalMs);
        await sleep(50);
      }
      return waits.toSorted((a, b) => a - b);
    };
    const watching = [list("bindings", other), { method: "GET", path: "/api/health" } as const].map(
      watch,
    );
    const answers = await Promise.all(
      Array.from({ length: readers }, () => send(worker.origin, page, { keepBody: false })),
    ).finally(() => {
      isReading = false;
    });
    const [pages = [], alone = []] = await Promise.all(watching);
    const peakMib = peakMemoryMib(worker.pid) - idle;
    const [bytes, ms] = [
      answers[0]?.bytes ?? 0,
      Math.max(...answers.map(({ totalMs }) => totalMs)),
    ];
    const summary = (waits: number[]) =>
      `median ${waits[waits.length >> 1]?.toFixed(0)} ms, slowest ${waits.at(-1)?.toFixed(0)} ms of ${waits.length}`;
    t.diagnostic(
      `${(bytes / 2 ** 20).toFixed(1)} MiB each in ${ms.toFixed(0)} ms, peak +${peakMib.toFixed(1)} MiB on ${idle.toFixed(0)}; small pages of another tenant: ${summary(pages)}; requests that need no database: ${summary(alone)}`,
    );
    await worker.stop();
    assert.ok(peakMib < boundMib, `the Worker grew by ${peakMib} MiB`);
    assert.ok((alone.at(-1) ?? 0) < boundMs, `the isolate was busy for ${alone.at(-1)} ms`);
    assert.ok((pages[pages.length >> 1] ?? 0) < boundMs, "small pages of another tenant wait");
  });
}
