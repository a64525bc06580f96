/**
 * Exports the largest organizations from the Worker in bare workerd with a small heap, while
 * another tenant sends small requests.
 *
 *   TEST_DATABASE_URL=postgresql://… node --test test/load/exports.ts     50,000 hosts
 *   node --test test/load/exports.ts                                      PGlite, 2,000 hosts
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { neon, neonConfig } from "@neondatabase/serverless";
import pg from "pg";
import { bundle, workerSource } from "../bench/bundle.ts";
import { type DatabaseProcess, startDatabaseProcess } from "../bench/database-process.ts";
import { keyOf, loadDatabase } from "../bench/load.ts";
import { cpuMs, forgetPeak, memoryMib, peakMemoryMib } from "../bench/process.ts";
import { send } from "../bench/requests.ts";
import { list } from "../bench/scene.ts";
import { type RunningWorker, startWorkerd } from "../bench/workerd.ts";
import { recountRecords } from "../helpers/record-counts.ts";
import { type MadeDatabase, makeDatabase } from "../local-database/postgres.ts";

const serverUrl = process.env["TEST_DATABASE_URL"];
const hosts = serverUrl === undefined ? 2000 : 50_000;
const tags = 10;
/**
 * The size of V8's heap for one export and for all concurrent exports, in MiB. V8 fills any heap
 * with garbage, so the memory that exports need is measured as the smallest heap in which they
 * succeed. An isolate has 128 MB.
 */
const heapMib = { one: 56, all: 80 };
/** The maximum median time that another tenant waits for a page, in milliseconds. */
const boundMs = 1000;
/** The number of concurrent exports, each of a different organization. */
const atOnce = 3;

/** Each letter takes two bytes in memory and two bytes in the response. */
const letters = "ж".repeat(94);

const inventory = {
  namespace: "load",
  organizations: atOnce + 1,
  history: false,
  bindings: 12_000,
  credentials: 10,
};

let made: MadeDatabase | undefined;
let database: DatabaseProcess;
let worker: RunningWorker;
const networks: string[] = [];

before(
  async () => {
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
    for (let number = 1; number <= atOnce; number++) {
      networks.push(await make(number));
    }
    await neon(database.connectionString)`analyze`;
  },
  { timeout: 900_000 },
);

after(async () => {
  await worker?.stop();
  await database?.stop();
  await made?.drop();
});

/** Creates the hosts of one organization on a new network. Returns the network's id. */
async function make(number: number): Promise<string> {
  const sql = neon(database.connectionString);
  const network = crypto.randomUUID();
  await sql.transaction([
    sql`set local session_replication_role = replica`,
    sql`insert into networks (id, organization_id, name)
      select ${network}, id, ${network} from organizations where name = ${`load ${number}`}`,
    sql`insert into tags (organization_id, name)
      select organization_id, 'large ' || number || ${letters.slice(0, 84)}
      from networks, generate_series(1, ${tags}::int) as number where id = ${network}`,
    sql`insert into hosts (organization_id, network_id, name, last_seen_at, valid_from)
      select organization_id, id, ${letters} || lpad(to_hex(number), 5, '0'), now(), now()
      from networks, generate_series(1, ${hosts}::int) as number where id = ${network}`,
    sql`insert into host_tags (organization_id, host_id, tag_id, valid_from)
      select hosts.organization_id, hosts.id, tags.id, now()
      from hosts join tags on tags.organization_id = hosts.organization_id and tags.name like 'large %'
      where hosts.network_id = ${network}`,
    sql`insert into ip_addresses (organization_id, network_id, host_id, address, last_seen_at, valid_from)
      select organization_id, network_id, id,
        inet '10.0.0.0' + row_number() over (order by id), now(), now()
      from hosts where network_id = ${network}`,
    sql.query(recountRecords, [null]),
  ]);
  return network;
}

/**
 * Sends concurrent requests for exports to a Worker with a heap of the given size in MiB. Fails if
 * the heap is too small.
 */
async function measure(paths: { path: string; organization: number }[], heap: number) {
  worker = await startWorkerd({ ...workerSource(bundle(), database), heapMib: heap });
  const other = keyOf(atOnce + 1);
  for (let warm = 0; warm < 20; warm++) {
    await send(worker.origin, list("bindings?limit=50", other), { keepBody: false });
  }
  forgetPeak(worker.pid);
  const idle = memoryMib(worker.pid);
  const cpu = cpuMs(worker.pid);
  let isReading = true;
  const watching = [
    list("hosts?limit=5", other),
    { method: "GET", path: "/api/health" } as const,
  ].map(async (small) => {
    const waits: number[] = [];
    while (isReading) {
      waits.push((await send(worker.origin, small)).totalMs);
      await sleep(50);
    }
    return waits.toSorted((one, other) => one - other);
  });
  const startedAt = performance.now();
  const answers = await Promise.allSettled(
    paths.map(({ path, organization }) =>
      send(worker.origin, list(path, keyOf(organization, "Viewer")), { keepBody: false }),
    ),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  isReading = false;
  const [pages = [], alone = []] = await Promise.all(watching);
  const median = pages[pages.length >> 1] ?? 0;
  const peak = peakMemoryMib(worker.pid) - idle;
  const bytes = answers.map((answer) => (answer.status === "fulfilled" ? answer.value.bytes : 0));
  const rejected = answers.flatMap((answer) =>
    answer.status === "rejected" ? [answer.reason] : [],
  );
  const report = `${bytes.map((each) => (each / 1e6).toFixed(1)).join(" + ")} MB in ${seconds.toFixed(1)} s, ${((cpuMs(worker.pid) - cpu) / 1000).toFixed(1)} s of CPU, peak +${peak.toFixed(1)} MiB on ${idle.toFixed(0)}; others: a page of another tenant ${median.toFixed(0)} ms (median), ${pages.at(-1)?.toFixed(0)} ms at most, a request without the database ${alone.at(-1)?.toFixed(0)} ms at most`;
  await worker.stop();
  return { report, median, rejected };
}

for (const form of ["ansible", "oxidized"]) {
  test(`one export of ${hosts} hosts for ${form} runs in a heap of ${heapMib.one} MiB`, {
    timeout: 600_000,
  }, async (t) => {
    const exports = [{ path: `exports/${form}?network_id=${networks[0]}`, organization: 1 }];
    const { report, median, rejected } = await measure(exports, heapMib.one);
    t.diagnostic(report);
    assert.deepEqual(rejected, []);
    assert.ok(median < boundMs, `others wait ${median} ms`);
  });
}

test(`two of ${atOnce} concurrent exports run in a heap of ${heapMib.all} MiB`, {
  timeout: 900_000,
}, async (t) => {
  const exports = networks.map((network, index) => ({
    path: `exports/ansible?network_id=${network}`,
    organization: index + 1,
  }));
  const { report, median, rejected } = await measure(exports, heapMib.all);
  t.diagnostic(report);
  // Exports with only a few hosts may end before the third export's wait times out.
  assert.ok(rejected.length === 1 || (rejected.length === 0 && serverUrl === undefined));
  for (const reason of rejected) {
    assert.match(String(reason), /: 503/);
  }
  assert.ok(median < boundMs, `others wait ${median} ms`);
});
