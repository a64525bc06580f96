import { parseArgs } from "node:util";
import * as z from "zod";
import { answerHelp } from "../../drizzle/commands/command.ts";
import { bundle, workerSource } from "./bundle.ts";
import { type Cluster, connectTo, withCluster } from "./cluster.ts";
import { loadDatabase, loadNetwork } from "./load.ts";
import { type Cost, closeLoaded, costOf, type Loaded, openLoaded } from "./loaded.ts";
import { figure } from "./measure.ts";
import { perHost } from "./network-inventory.ts";
import { forgetPeak, memoryMib, peakMemoryMib } from "./process.ts";
import { markdown } from "./report.ts";
import { type BenchRequest, send } from "./requests.ts";
import { digits } from "./row.ts";
import { list, middle, namespace } from "./scene.ts";
import { smallHeapMib, startWorkerd } from "./workerd.ts";

/** `npm run bench:lists`: deep pages, the formats of lists, the summary and the exports. */
answerHelp(`Usage:
  npm run bench:lists -- [--hosts 2000,20000] [--deep 1001000] [--rounds 11]`);
const { values } = parseArgs({
  options: {
    hosts: { type: "string", default: "2000,20000" },
    deep: { type: "string", default: "1001000" },
    rounds: { type: "string", default: "11" },
  },
});
const sizes = values.hosts.split(",").map(Number).filter(Boolean);
/** The number of bindings for deep pages; 0 skips the deep pages. */
const deepBindings = Number(values.deep);
const rounds = Number(values.rounds);

const progress = async <T>(name: string, does: () => Promise<T>): Promise<T> => {
  const startedAt = performance.now();
  const result = await does();
  console.error(`${name}: ${digits((performance.now() - startedAt) / 1000)} s`);
  return result;
};

const built = bundle();

const open = (databaseUrl: string) =>
  openLoaded(databaseUrl, (server) => workerSource(built, server));

/** Two organizations with hosts, the second a tenth the size of the first. */
async function load(cluster: Cluster, hosts: number): Promise<Loaded> {
  const databaseUrl = await cluster.createDatabase(`hosts_${hosts}`);
  const [client, helper] = [await connectTo(databaseUrl), await connectTo(databaseUrl)];
  await loadNetwork(client, { namespace, hosts, hostsOfSubnet: 100, oneClosedOf: 10 }, [helper]);
  await Promise.all([client.end(), helper.end()]);
  return await open(databaseUrl);
}

/** One organization with bindings, all of them live. */
async function loadBindings(cluster: Cluster, bindings: number): Promise<Loaded> {
  const databaseUrl = await cluster.createDatabase("bindings");
  const client = await connectTo(databaseUrl);
  const size = { namespace, organizations: 1, bindings, history: false, credentials: 10 };
  await loadDatabase(client, size);
  await client.end();
  return await open(databaseUrl);
}

/** The medians of alternating requests, after a warm-up round. */
async function byTurns<Name>(
  loaded: Loaded,
  requests: ReadonlyMap<Name, BenchRequest>,
  times = rounds,
): Promise<Map<Name, Cost>> {
  const costs = new Map([...requests.keys()].map((name): [Name, Cost[]] => [name, []]));
  for (let round = -1; round < times; round++) {
    for (const [name, request] of requests) {
      const cost = await costOf(loaded, request);
      if (round >= 0) {
        costs.get(name)?.push(cost);
      }
    }
  }
  const median = (results: readonly Cost[], of: keyof Cost) =>
    figure(results.map((cost) => cost[of])).median;
  return new Map(
    [...costs].map(([name, results]) => [
      name,
      {
        ms: median(results, "ms"),
        postgresMs: median(results, "postgresMs"),
        workerMs: median(results, "workerMs"),
        walMib: median(results, "walMib"),
      },
    ]),
  );
}

const page = z.object({
  meta: z.object({ pagination: z.object({ next_cursor: z.string().nullable() }) }),
});

/** The number of records before each measured page. */
const depths = [0, 10_000, 100_000, 1_000_000];
/**
 * Lists, each with the maximum depth of its walk. In any order other than creation order, a page
 * skips the records before it.
 */
const walks = [
  ["bindings?", 1_000_000],
  ["bindings?at=2026-02-01T00:00:00.000Z&", 1_000_000],
  ["ports?order_by=number&", 100_000],
] as const;

/**
 * Walks a list in pages of 1,000. Returns requests for pages of 50 at each depth, and the number of
 * records per second.
 */
async function walkTo({ worker: { origin } }: Loaded, path: string, deepest: number) {
  const requests = new Map([[0, list(`${path}limit=50`)]]);
  const startedAt = performance.now();
  let query = "limit=1000";
  for (let walked = 1000; walked <= deepest; walked += 1000) {
    const { body } = await send(origin, list(path + query));
    const { next_cursor } = page.parse(JSON.parse(body)).meta.pagination;
    query = `limit=1000&cursor=${next_cursor}`;
    if (depths.includes(walked)) {
      requests.set(walked, list(`${path}limit=50&cursor=${next_cursor}`));
    }
  }
  return { requests, rate: deepest / ((performance.now() - startedAt) / 1000) };
}

/** Measures pages of 50: the first page and deep pages. */
async function deepPages(loaded: Loaded): Promise<string> {
  const rows: string[][] = [];
  for (const [path, deepest] of walks) {
    const { requests, rate } = await walkTo(loaded, path, deepest);
    const costs = await byTurns(loaded, requests);
    const cells = depths.map((depth) => {
      const cost = costs.get(depth);
      return cost ? `${digits(cost.ms)} (${digits(cost.postgresMs)})` : "";
    });
    rows.push([`GET ${path.slice(0, -1)}`, ...cells, `${digits(rate)} /s`]);
  }
  const heads = depths.map((depth) => (depth === 0 ? "first" : depth.toLocaleString("en")));
  return markdown(["pages of 50", ...heads, "walk in pages of 1,000"], rows);
}

const forms = {
  JSON: "application/json",
  CSV: "text/csv",
  "JSON lines": "application/x-ndjson",
} as const;

/**
 * The memory growth of a new Worker with a small heap while it sends a list, and the size of the
 * list, in MiB.
 */
async function growthOf({ source }: Loaded, request: BenchRequest) {
  const worker = await startWorkerd({ ...source, heapMib: smallHeapMib });
  try {
    for (let warm = 0; warm < 20; warm++) {
      await send(worker.origin, list("bindings"));
    }
    forgetPeak(worker.pid);
    const resting = memoryMib(worker.pid);
    const { bytes } = await send(worker.origin, request, { keepBody: false });
    return { growth: peakMemoryMib(worker.pid) - resting, body: bytes / 1024 / 1024 };
  } finally {
    await worker.stop();
  }
}

/** Measures complete lists in each format. */
async function streams(loaded: Loaded, hosts: number): Promise<string> {
  const rows: string[][] = [];
  for (const [path, records, times] of [
    ["bindings?limit=0", hosts * perHost.bindings, 5],
    ["hosts?limit=0", hosts, 2],
  ] as const) {
    const requests = new Map(
      Object.entries(forms).map(([name, Accept]): [string, BenchRequest] => [
        name,
        { ...list(path), headers: { Accept } },
      ]),
    );
    const costs = await byTurns(loaded, requests, Math.min(times, rounds));
    for (const [name, request] of requests) {
      const { ms = 0, postgresMs = 0, workerMs = 0 } = costs.get(name) ?? {};
      const { growth, body } = await growthOf(loaded, request);
      rows.push([
        `GET ${path} over ${records.toLocaleString("en")}, ${name}`,
        `${digits(records / (ms / 1000))} /s`,
        `${digits(ms / 1000)} s`,
        `${digits(postgresMs / 1000)} s`,
        `${digits(workerMs / 1000)} s`,
        `${digits(body)} MiB`,
        `${digits(growth)} MiB`,
      ]);
    }
  }
  return markdown(
    ["what", "rows", "time", "CPU of Postgres", "CPU of the Worker", "body", "memory"],
    rows,
  );
}

/** The paths of the exports. */
const whole = ["prometheus", "ansible", "oxidized", "hosts"].map((name) => `exports/${name}`);
const counts = ["summary", `summary?at=${middle}`];

/** Measures operations that read all hosts, at each size. */
async function aggregates(all: ReadonlyMap<number, Loaded>): Promise<string> {
  const results: Map<string, Cost>[] = [];
  for (const loaded of all.values()) {
    const requests = (paths: readonly string[]) =>
      new Map(paths.map((path): [string, BenchRequest] => [path, list(path)]));
    results.push(
      new Map([
        ...(await byTurns(loaded, requests(counts))),
        ...(await byTurns(loaded, requests(whole), Math.min(3, rounds))),
      ]),
    );
  }
  return markdown(
    ["what", ...[...all.keys()].map((hosts) => `${hosts.toLocaleString("en")} hosts`)],
    [...counts, ...whole].map((path) => [
      `GET ${path}`,
      ...results.map((costs) => {
        const { ms = 0, postgresMs = 0, workerMs = 0 } = costs.get(path) ?? {};
        return `${digits(ms)} (${digits(postgresMs)}, ${digits(workerMs)})`;
      }),
    ]),
  );
}

await withCluster(async (cluster) => {
  const all = new Map<number, Loaded>();
  for (const hosts of sizes) {
    all.set(hosts, await progress(`load ${hosts} hosts`, () => load(cluster, hosts)));
  }
  const [largest] = [...all].toSorted(([one], [other]) => other - one);
  const sums = await progress("summary and exports", () => aggregates(all));
  console.log(
    `Milliseconds, and in parentheses the CPU of Postgres and of the Worker:\n\n${sums}\n`,
  );
  if (largest) {
    const [hosts, loaded] = largest;
    const table = await progress("streams", () => streams(loaded, hosts));
    console.log(
      `Lists of everything in each form, with a heap of ${smallHeapMib} MiB:\n\n${table}\n`,
    );
  }
  if (deepBindings > 0) {
    const deep = await progress(`load ${deepBindings} bindings`, () =>
      loadBindings(cluster, deepBindings),
    );
    const table = await progress("deep pages", () => deepPages(deep));
    console.log(
      `Behind so many others, in milliseconds, and in parentheses the CPU of Postgres:\n\n${table}\n`,
    );
    await closeLoaded(deep);
  }
  for (const loaded of all.values()) {
    await closeLoaded(loaded);
  }
});
