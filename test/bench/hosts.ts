import { parseArgs } from "node:util";
import pg from "pg";
import * as z from "zod";
import { bundle, workerSource } from "./bundle.ts";
import { postgresPrograms, startCluster } from "./cluster.ts";
import { startDatabaseProcess } from "./database-process.ts";
import { loadNetwork } from "./load.ts";
import { compare, type Figure, figure } from "./measure.ts";
import { perHost } from "./network-inventory.ts";
import { forgetPeak, memoryMib, peakMemoryMib } from "./process.ts";
import { table } from "./report.ts";
import { type BenchRequest, send } from "./requests.ts";
import { atLeast, atMost, digits, type Row, shown } from "./row.ts";
import { largest, list, middle, namespace } from "./scene.ts";
import { asTenant, recordCalls } from "./statements.ts";
import { type RunningWorker, smallHeapMib, startWorkerd, type WorkerSource } from "./workerd.ts";

/** `npm run bench:hosts`: lists of hosts with their children, and writes of them, through workerd. */
const { values: options } = parseArgs({ options: { hosts: { type: "string", default: "20000" } } });
const hosts = Number(options.hosts);
const rounds = 30;
const created = z.object({ data: z.looseObject({ id: z.guid() }) });

const programs = postgresPrograms();
if (programs === null) {
  console.error(
    "This bench needs Postgres' programs under /usr/lib/postgresql: install postgresql.",
  );
  process.exit(1);
}
const cluster = await startCluster(programs);
try {
  console.log(table(await measure(cluster.url("postgres"))));
} finally {
  await cluster.stop();
}
process.exit();

async function measure(databaseUrl: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  // When the bench fails, Postgres is stopped under it; an unheard "error" would hide why.
  client.on("error", () => {});
  await client.connect();
  await loadNetwork(client, { namespace, hosts, hostsOfSubnet: 100 });
  const server = await startDatabaseProcess({ databaseUrl });
  const source = workerSource(bundle(), server);
  const worker = await startWorkerd(source);
  try {
    const time = (asked: BenchRequest) => async () => (await send(worker.origin, asked)).totalMs;
    /** The indexes that a request's statements read, without those of the gate. */
    const planOf = async (asked: BenchRequest) => {
      const { calls } = await recordCalls(server, asked);
      const names = new Set<string>();
      for (const { gate, asked: statements } of calls.slice(0, 1)) {
        await asTenant(client, gate, async () => {
          for (const { query, params } of statements) {
            const { rows } = await client.query<{ "QUERY PLAN": unknown }>(
              `explain (format json) ${query}`,
              params,
            );
            const plan = JSON.stringify(rows[0]?.["QUERY PLAN"]);
            for (const [, name = ""] of plan.matchAll(
              /"(?:Index Name|Function Name)": ?"(\w+)"/g,
            )) {
              names.add(name);
            }
          }
        });
      }
      return `reads ${[...names].filter((name) => /index|search|pk|unique/.test(name)).join(", ")}`;
    };
    const against = async (
      what: string,
      path: string,
      reference: string,
      most: number,
    ): Promise<Row> => {
      const found = await compare(rounds, time(list(path)), time(list(reference)));
      return {
        what,
        ours: shown(found.ours, "ms"),
        reference: shown(found.reference, "ms"),
        value: found.ratio.median,
        unit: "×",
        spread: found.ratio.spread,
        bound: atMost(most),
        note: await planOf(list(path)),
      };
    };
    const page = "a page of 50 bindings";
    const address = "10.0.3.7";
    const name = "camera-0123";
    return [
      await against(`50 hosts with children, against ${page}`, "hosts", "bindings", 3),
      await against(
        "the same with at in the middle of history, against one of bindings",
        `hosts?at=${middle}`,
        `bindings?at=${middle}`,
        3,
      ),
      await against(`hosts by q, an address, against ${page}`, `hosts?q=${address}`, "bindings", 1),
      await against(
        `hosts by q, a part of a name, against ${page}`,
        `hosts?q=${name}`,
        "bindings",
        1,
      ),
      await against(
        `hosts by q, two letters that an eighth of them have, against ${page}`,
        "hosts?q=we",
        "bindings",
        10,
      ),
      ...(await streamRows(source)),
      ...(await writeRows(worker, client)),
    ];
  } finally {
    await worker.stop();
    await server.stop();
    await client.end();
  }
}

/** Everything, each time by a fresh Worker that has served small requests. */
async function streamRows(source: WorkerSource) {
  const [times, firstBytes, growths, freeGrowths, sizes]: number[][] = [[], [], [], [], []];
  for (let round = 0; round < 3; round++) {
    const { response, growthMib } = await streamOnce(source);
    freeGrowths?.push(growthMib);
    times?.push(response.totalMs);
    firstBytes?.push(response.firstByteMs);
    sizes?.push(response.bytes / 1024 ** 2);
    growths?.push((await streamOnce({ ...source, heapMib: smallHeapMib })).growthMib);
  }
  const of = `limit=0 over ${hosts.toLocaleString("en")} hosts`;
  const [time, first, growth, freeGrowth, size] = [
    times,
    firstBytes,
    growths,
    freeGrowths,
    sizes,
  ].map((values) => figure(values ?? []));
  const median = (one: Figure | undefined) => one?.median ?? Number.NaN;
  const records = 1 + perHost.addresses + perHost.ports + perHost.services + perHost.bindings;
  const rate = hosts / (median(time) / 1000);
  const rows: Row[] = [
    {
      what: `${of}: hosts a second`,
      ours: `${digits(median(time) / 1000)} s`,
      value: rate,
      unit: "rows/s",
      spread: time?.spread ?? 0,
      bound: atLeast(2500),
      note: `${digits(rate * records)} records a second, ${digits(median(size))} MiB in all`,
    },
    {
      what: `${of}: first byte`,
      ours: `${digits(median(first))} ms`,
      value: median(first),
      unit: "ms",
      spread: first?.spread ?? 0,
      bound: atMost(150),
    },
    {
      what: `${of}: growth of the Worker's peak memory, with a heap of ${smallHeapMib} MiB`,
      ours: `${digits(median(growth))} MiB`,
      value: median(growth),
      unit: "MiB",
      spread: growth?.spread ?? 0,
      bound: atMost(64),
      note: `${digits(median(freeGrowth))} MiB without a limit of the heap`,
    },
  ];
  return rows;
}

async function streamOnce(source: WorkerSource) {
  const worker = await startWorkerd(source);
  try {
    for (let warm = 0; warm < 20; warm++) {
      await send(worker.origin, list("hosts"));
    }
    forgetPeak(worker.pid);
    const before = memoryMib(worker.pid);
    const response = await send(worker.origin, list("hosts?limit=0"), { keepBody: false });
    return { response, growthMib: peakMemoryMib(worker.pid) - before };
  } finally {
    await worker.stop();
  }
}

/** A host with 20 ports, and the same with all numbers changed. */
async function writeRows({ origin }: RunningWorker, client: pg.Client): Promise<Row[]> {
  const { rows } = await client.query<{ id: string }>(
    `select networks.id from networks join organizations on organizations.id = organization_id
    where organizations.name = '${namespace} 1' order by 1 limit 1`,
  );
  const host = (from: number) => ({
    network_id: rows[0]?.id,
    name: "Created",
    ports: Array.from({ length: 20 }, (_, at) => ({ number: from + at, protocol: "Tcp" })),
  });
  const post = { method: "POST", path: "/api/v1/hosts", key: largest } as const;
  const first = await send(origin, { ...post, json: host(1000) }, { status: 201 });
  const path = `/api/v1/hosts/${created.parse(JSON.parse(first.body)).data.id}`;
  const { data } = created.parse(JSON.parse(first.body));
  const ports = z.array(z.looseObject({ number: z.int() })).parse(data["ports"]);
  const [creates, replaces]: number[][] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    const made = await send(origin, { ...post, json: host(1000) }, { status: 201 });
    const replaced = await send(origin, {
      method: "PUT",
      path,
      key: largest,
      json: {
        ...host(0),
        ports: ports.map((port) => ({ ...port, number: port.number + 20 * (round + 1) })),
      },
    });
    if (round > 0) {
      creates?.push(made.totalMs);
      replaces?.push(replaced.totalMs);
    }
  }
  const row = (what: string, values: number[] | undefined, most: number): Row => {
    const { median, spread } = figure(values ?? []);
    return {
      what,
      ours: `${digits(median)} ms`,
      value: median,
      unit: "ms",
      spread,
      bound: atMost(most),
    };
  };
  return [
    row("p50 of a create of a host with 20 ports", creates, 50),
    row("p50 of a replace of a host with 20 ports, each with another number", replaces, 100),
  ];
}
