import { parseArgs } from "node:util";
import * as z from "zod";
import { answerHelp } from "../../drizzle/commands/command.ts";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { bundle, workerSource } from "./bundle.ts";
import { longTimeline, weeks, yearOfChanges } from "./changes/year.ts";
import { type Cluster, connectTo, withCluster } from "./cluster.ts";
import { fill, keysOf, loadDatabase } from "./load.ts";
import { ask, type Cost, closeLoaded, costOf, type Loaded, openLoaded } from "./loaded.ts";
import { comparisonOf, figure, takeTurns } from "./measure.ts";
import { networkInventory } from "./network-inventory.ts";
import { type MeasuredOperation, putCredential } from "./operations.ts";
import { markdown, verdictOf } from "./report.ts";
import { type BenchRequest, send } from "./requests.ts";
import { atMost, type Bound, digits } from "./row.ts";
import { idOf, list, namespace, ordinary } from "./scene.ts";
import { startWorkerd } from "./workerd.ts";

/** `npm run bench:changes`: the feed, timelines, diffs and the audit log over a year of changes. */
answerHelp(`Usage:
  npm run bench:changes -- [--versions 100000,1000000] [--rounds 60]`);
const { values } = parseArgs({
  options: {
    versions: { type: "string", default: "100000,1000000" },
    rounds: { type: "string", default: "60" },
  },
});
const sizes = values.versions.split(",").map(Number);
const rounds = Number(values.rounds);

/**
 * The number of versions that `networkInventory` creates in both organizations, per host of the
 * first organization.
 */
const versionsOfHost = 1.1 * 36;

const step = async <Result>(name: string, does: () => Promise<Result>): Promise<Result> => {
  const startedAt = performance.now();
  const result = await does();
  console.error(`${name}: ${digits((performance.now() - startedAt) / 1000)} s`);
  return result;
};

const built = bundle();
const behindGate = bundle({ module: "test/bench/behind-gate-worker.ts" });
const selectOne = bundle({ module: "test/bench/select-one-worker.ts" }).script;

const open = (databaseUrl: string) =>
  openLoaded(databaseUrl, (server) => workerSource(built, server));

async function load(cluster: Cluster, versions: number): Promise<string> {
  const databaseUrl = await cluster.createDatabase(`versions_${versions}`);
  const client = await connectTo(databaseUrl);
  await migrateDatabase(client);
  const hosts = Math.round(versions / versionsOfHost);
  await fill(
    [client],
    [
      ...networkInventory({ namespace, hosts, hostsOfSubnet: 100 }, await keysOf(2)),
      ...yearOfChanges(namespace),
    ],
  );
  await client.end();
  return databaseUrl;
}

const medianOf = (costs: readonly Cost[], name: keyof Cost) =>
  figure(costs.map((cost) => cost[name])).median;

/** A request and its reference, which are sent alternately. */
interface Pair {
  what: string;
  loaded: Loaded;
  request: BenchRequest;
  reference: { loaded: Loaded; request: BenchRequest };
  /** The maximum ratio. */
  most?: number;
}

async function lineOf({ what, loaded, request, reference, most }: Pair): Promise<string[]> {
  const ours = () => costOf(loaded, request);
  const theirs = () => costOf(reference.loaded, reference.request);
  for (let warm = 0; warm < 20; warm++) {
    await ours();
    await theirs();
  }
  const turns = await takeTurns(rounds, ours, theirs);
  const { ratio, ...results } = comparisonOf(
    turns.map((turn) => ({ ours: turn.ours.ms, reference: turn.reference.ms })),
  );
  const cpuOf = ({ postgresMs, workerMs }: Cost) => postgresMs + workerMs;
  const cpu = comparisonOf(
    turns.map((turn) => ({ ours: cpuOf(turn.ours), reference: cpuOf(turn.reference) })),
  );
  const postgresMs = medianOf(
    turns.map((turn) => turn.ours),
    "postgresMs",
  );
  return [
    what,
    `${digits(results.ours.median)} ms`,
    `${digits(postgresMs)} ms`,
    `${digits(results.reference.median)} ms`,
    `${ratio.median.toFixed(2)} × ± ${(ratio.spread * 100).toFixed(0)} %`,
    `${cpu.ratio.median.toFixed(2)} × ± ${(cpu.ratio.spread * 100).toFixed(0)} %`,
    ...verdictOf({ value: ratio.median, ...(most !== undefined && { bound: atMost(most) }) }),
  ];
}

const cursorSchema = z.object({ meta: z.object({ next_cursor: z.string() }) });

/** The `next_cursor` in the response to a request for a path. */
async function nextCursorOf({ worker: { origin } }: Loaded, path: string): Promise<string> {
  const { body } = await send(origin, list(path));
  return cursorSchema.parse(JSON.parse(body)).meta.next_cursor;
}

/** Measures every request that reads changes, alternating with its reference. */
async function feedTable(loaded: Loaded): Promise<string> {
  const root = { ...list(""), path: "/" };
  const started = [
    await startWorkerd(workerSource(behindGate, loaded.server)),
    await startWorkerd({ ...loaded.source, modules: { "entry.js": selectOne } }),
  ] as const;
  const [gateWorker, aloneWorker] = started;
  const gate = { loaded: { ...loaded, worker: gateWorker }, request: root };
  const alone = { loaded: { ...loaded, worker: aloneWorker }, request: root };
  const bindings = { loaded, request: list("bindings?limit=100") };
  const [long, binding] = [idOf("long host"), idOf("long binding")];
  const timeline = `hosts/${long}/timeline`;
  const pair = (
    what: string,
    path: string,
    reference: Pair["reference"] = gate,
    most?: number,
  ): Pair => ({
    what,
    loaded,
    request: list(path),
    reference,
    ...(most !== undefined && { most }),
  });
  const since = "since=2024-06-01T00:00:00.000Z";
  const pairs: Pair[] = [
    { ...gate, what: "`select 1` behind the gate, against alone", reference: alone },
    pair(
      "changes, an up-to-date cursor",
      `changes?cursor=${await nextCursorOf(loaded, "changes?cursor=now")}`,
      gate,
      1.2,
    ),
    pair("changes, cursor=now", "changes?cursor=now"),
    pair("bindings, a page of 100", "bindings?limit=100"),
    ...["", `&${since}`, `&since=${weeks[1].from}`].map((from, index) =>
      pair(
        `1,000 changes, ${["the first", "in the middle", "the last"][index]}, against the page of bindings`,
        `changes?limit=1000${from}`,
        bindings,
        3,
      ),
    ),
    pair("100 changes in the middle", `changes?${since}`),
    pair("100 of a network", `changes?${since}&network_id=${idOf("network", 1, 3)}`),
    pair("100 of services", `changes?${since}&entity=Service`),
    pair("100 deletions", `changes?${since}&change=deleted`),
    pair("all of a host", `changes?limit=1000&host_id=${idOf("hosts", 1, 1)}`),
    pair("100 of a host with 1,000 versions", `changes?host_id=${long}`),
    pair("timeline of a host with 1,000 versions, 100", timeline),
    pair(
      "the same, 100 in the middle",
      `${timeline}?cursor=${await nextCursorOf(loaded, `${timeline}?limit=${longTimeline.host / 2}`)}`,
    ),
    pair("the same, all of it", `${timeline}?limit=1000`),
    pair("timeline of a binding with 100 versions", `bindings/${binding}/timeline`),
  ];
  const lines: string[][] = [];
  for (const each of pairs) {
    lines.push(await step(each.what, () => lineOf(each)));
  }
  for (const worker of started) {
    await worker.stop();
  }
  return markdown(
    ["request", "p50", "CPU of Postgres", "reference", "ratio", "ratio of CPU", "bound", ""],
    lines,
  );
}

/** Measures a diff of each week at each size. */
async function diffTable(all: readonly Loaded[]): Promise<string> {
  const kinds = [
    { what: "a page", query: "" },
    { what: "everything", query: "&limit=0" },
  ];
  const lines: string[][] = [];
  for (const { what, query } of kinds) {
    /** By size, then by week. */
    const medians = all.map((): number[] => []);
    for (const { changed, from, to } of weeks) {
      const request = list(`diff?from=${from}&to=${to}${query}`);
      const costs = all.map((): Cost[] => []);
      for (let round = -2; round < rounds / 3; round++) {
        for (const [index, loaded] of all.entries()) {
          const cost = await costOf(loaded, request);
          if (round >= 0) {
            costs[index]?.push(cost);
          }
        }
      }
      const results = costs.map((each) => medianOf(each, "ms"));
      results.forEach((value, index) => {
        medians[index]?.push(value);
      });
      const ratio = (results.at(-1) ?? Number.NaN) / (results[0] ?? Number.NaN);
      lines.push([
        `${what}, ${changed.toLocaleString("en")} changed`,
        ...costs.map(
          (each) => `${digits(medianOf(each, "ms"))} (${digits(medianOf(each, "postgresMs"))})`,
        ),
        `${ratio.toFixed(2)} ×`,
        ...verdictOf({ value: ratio, bound: atMost(1.5) }),
      ]);
    }
    const ratios = medians.map(([few = Number.NaN, many = Number.NaN]) => many / few);
    const worst = Math.max(...ratios);
    lines.push([
      `${what}, ten times as many changed`,
      ...ratios.map((ratio) => `${ratio.toFixed(2)} ×`),
      "",
      ...verdictOf({ value: worst, bound: atMost(12) }),
    ]);
  }
  return markdown(
    [
      "diff of a week",
      ...sizes.map((versions) => `${versions.toLocaleString("en")} versions`),
      "largest to smallest",
      "bound",
      "",
    ],
    lines,
  );
}

/** A counter, so that no two requests are equal. */
let renamed = 0;
const putNetwork: MeasuredOperation = {
  name: "PUT network",
  data: "bindings",
  status: 200,
  isLong: false,
  requests: async (_, amount) =>
    Array.from({ length: amount }, () => ({
      method: "PUT",
      path: `/api/v1/networks/${idOf("network", 2, renamed % 10)}`,
      key: ordinary,
      json: { name: `Renamed ${renamed++}` },
    })),
};

/**
 * Measures the cost of writes with and without the audit log, in two databases that differ only in
 * the audit log's triggers.
 */
async function auditTable(cluster: Cluster): Promise<string> {
  const template = await cluster.createDatabase("audited");
  const owner = await connectTo(template);
  await loadDatabase(owner, {
    namespace,
    organizations: 2,
    bindings: 1000,
    history: false,
    credentials: 1000,
  });
  await owner.end();
  const bareUrl = await cluster.createDatabase("unaudited", "audited");
  const bare = await connectTo(bareUrl);
  await bare.query(`do $$ declare audits record; begin
    for audits in select tgrelid::regclass as relation, tgname from pg_trigger
      where tgname like 'audit_%' or tgname like 'remember_actor%'
    loop
      execute format('alter table %s disable trigger %I', audits.relation, audits.tgname);
    end loop; end $$`);
  await bare.end();
  const [audited, unaudited] = [await open(template), await open(bareUrl)];
  const lines: string[][] = [];
  for (const operation of [putCredential, putNetwork]) {
    for (let warm = 0; warm < 20; warm++) {
      await ask(audited, operation);
      await ask(unaudited, operation);
    }
    const turns = await takeTurns(
      rounds * 3,
      () => ask(audited, operation),
      () => ask(unaudited, operation),
    );
    const median = (whose: "ours" | "reference", name: keyof Cost) =>
      medianOf(
        turns.map((turn) => turn[whose]),
        name,
      );
    const more = median("ours", "postgresMs") - median("reference", "postgresMs");
    const bound: Bound = atMost(0.1);
    lines.push([
      operation.name,
      ...(["ours", "reference"] as const).map(
        (whose) => `${digits(median(whose, "ms"))} (${digits(median(whose, "postgresMs"))})`,
      ),
      `${more.toFixed(3)} ms`,
      ...verdictOf({ value: more, bound }),
    ]);
  }
  await closeLoaded(audited);
  await closeLoaded(unaudited);
  return markdown(["write", "audited", "not audited", "more CPU of Postgres", "bound", ""], lines);
}

await withCluster(async (cluster) => {
  const audit = await step("writes", () => auditTable(cluster));
  const all: Loaded[] = [];
  for (const versions of sizes) {
    const databaseUrl = await step(`load ${versions} versions`, () => load(cluster, versions));
    all.push(await open(databaseUrl));
  }
  const [large] = all.toReversed();
  if (!large) {
    throw new Error("There is no inventory to measure.");
  }
  const feed = await feedTable(large);
  const diff = await step("diffs", () => diffTable(all));
  console.log(`${feed}\n`);
  console.log(`Milliseconds, and in parentheses the CPU of Postgres:\n\n${diff}\n\n${audit}`);
  for (const loaded of all) {
    await closeLoaded(loaded);
  }
});
