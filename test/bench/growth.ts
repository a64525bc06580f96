import { parseArgs } from "node:util";
import { answerHelp } from "../../drizzle/commands/command.ts";
import { bundle, workerSource } from "./bundle.ts";
import { type Cluster, connectTo, withCluster } from "./cluster.ts";
import { loadNetwork } from "./load.ts";
import { ask, type Cost, closeLoaded, costOf, type Loaded, openLoaded } from "./loaded.ts";
import { figure } from "./measure.ts";
import { perHost } from "./network-inventory.ts";
import { growingOperations, importOf, type MeasuredOperation } from "./operations.ts";
import { markdown, verdictOf } from "./report.ts";
import { type BenchRequest, send } from "./requests.ts";
import { atMost, type Bound, digits } from "./row.ts";
import { idOf, list, namespace } from "./scene.ts";

/** `npm run bench:growth`: the cost of each operation as the inventory grows. */
answerHelp(`Usage:
  npm run bench:growth -- [--hosts 2000,20000,200000] [--rounds 20]`);
const { values } = parseArgs({
  options: {
    hosts: { type: "string", default: "2000,20000,200000" },
    rounds: { type: "string", default: "20" },
  },
});
const sizes = values.hosts.split(",").map(Number);
const rounds = Number(values.rounds);
/** The number of rounds for imports and complete lists. */
const longRounds = 3;

interface Sized extends Loaded {
  hosts: number;
}

/** A table row: one measurement at each size. */
interface Curve {
  what: string;
  /** The medians, one for each size. */
  values: readonly number[];
  cells: readonly string[];
  /**
   * The maximum value at the largest size, and the maximum ratio of that value to the value at the
   * smallest size.
   */
  most?: number;
  mostRatio?: number;
}

type Bounds = Pick<Curve, "most" | "mostRatio">;

/** There are no bounds for larger inventories. */
const isBound = Math.max(...sizes) <= 200_000;
const bounds = new Map<string, Bounds>(
  isBound
    ? [
        ["GET bindings", { mostRatio: 3 }],
        ["GET hosts, q of an eighth", { most: 120 }],
        ["GET hosts, q of two letters", { most: 250 }],
        ["seconds", { most: 4, mostRatio: 1.3 }],
      ]
    : [],
);

const step = async <T>(name: string, does: () => Promise<T>): Promise<T> => {
  const startedAt = performance.now();
  const result = await does();
  console.error(`${name}: ${digits((performance.now() - startedAt) / 1000)} s`);
  return result;
};

async function load(cluster: Cluster, hosts: number): Promise<string> {
  const databaseUrl = await cluster.createDatabase(`hosts_${hosts}`);
  const [client, helper] = [await connectTo(databaseUrl), await connectTo(databaseUrl)];
  await loadNetwork(client, { namespace, hosts, hostsOfSubnet: 100, oneClosedOf: 10 }, [helper]);
  await Promise.all([client.end(), helper.end()]);
  return databaseUrl;
}

const built = bundle();

const open = async (databaseUrl: string, hosts: number): Promise<Sized> => ({
  ...(await openLoaded(databaseUrl, (server) => workerSource(built, server))),
  hosts,
});

const median = (costs: readonly Cost[], name: keyof Cost) =>
  figure(costs.map((cost) => cost[name])).median;

/** Measures single requests, alternating between the sizes. */
async function curveOf(operation: MeasuredOperation, all: readonly Sized[]): Promise<Curve> {
  const costs = new Map(all.map((loaded): [Sized, Cost[]] => [loaded, []]));
  for (let round = -2; round < rounds; round++) {
    for (const [loaded, measured] of costs) {
      const cost = await ask(loaded, operation);
      if (round >= 0) {
        measured.push(cost);
      }
    }
  }
  const medians = [...costs.values()];
  return {
    what: operation.name,
    values: medians.map((measured) => median(measured, "ms")),
    cells: medians.map(
      (measured) => `${digits(median(measured, "ms"))} (${digits(median(measured, "postgresMs"))})`,
    ),
    ...bounds.get(operation.name),
  };
}

/** Measures a complete list, in rows per second. */
async function streamCurve(
  what: string,
  request: BenchRequest,
  all: readonly Sized[],
  rowsOf: (hosts: number) => number,
): Promise<Curve> {
  const rates: number[] = [];
  for (const loaded of all) {
    const costs: Cost[] = [];
    for (let round = 0; round <= longRounds; round++) {
      costs.push(await costOf(loaded, request));
    }
    rates.push(rowsOf(loaded.hosts) / (median(costs.slice(1), "ms") / 1000));
  }
  return { what, values: rates, cells: rates.map((rate) => `${digits(rate)} /s`) };
}

const table = (heads: readonly string[], curves: readonly Curve[]) =>
  markdown(
    ["what", ...heads, "largest to smallest", "bound", ""],
    curves.map(({ what, values, cells, most, mostRatio }) => {
      const [largest = Number.NaN, smallest = Number.NaN] = [values.at(-1), values[0]];
      const ratio = largest / smallest;
      const held: { value: number; bound: Bound }[] = [
        ...(mostRatio === undefined ? [] : [{ value: ratio, bound: atMost(mostRatio) }]),
        ...(most === undefined ? [] : [{ value: largest, bound: atMost(most) }]),
      ];
      const verdicts = held.map(verdictOf);
      return [
        what,
        ...cells,
        `${digits(ratio)} ×`,
        verdicts.map(([bound]) => bound).join(", "),
        verdicts.map(([, verdict]) => verdict).join(", "),
      ];
    }),
  );

/**
 * Imports 2,000 new hosts into an empty inventory and into inventories of each size. Measures the
 * elapsed time, CPU time and bytes written.
 */
async function importTable(cluster: Cluster, empty: string, all: readonly Sized[]) {
  const operation = importOf("import of 2,000 new hosts", 2000);
  const costs: Cost[][] = [];
  const measure = async (loaded: Loaded): Promise<Cost> => {
    // The number of bytes written depends on the time since the last checkpoint.
    await loaded.client.query("checkpoint");
    return await ask(loaded, operation);
  };
  const intoNothing: Cost[] = [];
  for (let round = 0; round < longRounds; round++) {
    const loaded = await open(await cluster.createDatabase(`empty_${round}`, empty), 0);
    await send(loaded.worker.origin, list("networks"));
    intoNothing.push(await measure(loaded));
    await closeLoaded(loaded);
  }
  costs.push(intoNothing);
  for (const loaded of all) {
    const measured: Cost[] = [];
    for (let round = 0; round < longRounds; round++) {
      measured.push(await measure(loaded));
    }
    costs.push(measured);
  }
  const curve = (what: string, name: keyof Cost, divisor: number): Curve => {
    const medians = costs.map((measured) => median(measured, name) / divisor);
    return { what, values: medians, cells: medians.map(digits), ...bounds.get(what) };
  };
  return table(
    ["into 0 hosts", ...sizes.map((hosts) => `into ${hosts.toLocaleString("en")}`)],
    [
      curve("seconds", "ms", 1000),
      curve("CPU of Postgres, seconds", "postgresMs", 1000),
      curve("WAL, MiB", "walMib", 1),
    ],
  );
}

await withCluster(async (cluster) => {
  await step("load 0 hosts", () => load(cluster, 0));
  const all: Sized[] = [];
  for (const hosts of sizes) {
    const databaseUrl = await step(`load ${hosts} hosts`, () => load(cluster, hosts));
    all.push(await open(databaseUrl, hosts));
  }
  const curves: Curve[] = [];
  for (const operation of growingOperations) {
    curves.push(await step(operation.name, () => curveOf(operation, all)));
  }
  const aNetwork = idOf("network", 1, 0);
  curves.push(
    await step("GET bindings?limit=0", () =>
      streamCurve(
        "GET bindings?limit=0, rows a second",
        list("bindings?limit=0"),
        all,
        (hosts) => hosts * perHost.bindings,
      ),
    ),
    await step("GET hosts?limit=0", () =>
      streamCurve(
        "GET hosts?limit=0 of a network, a tenth of all, rows a second",
        list(`hosts?limit=0&network_id=${aNetwork}`),
        all,
        (hosts) => hosts / 10,
      ),
    ),
  );
  const heads = sizes.map(
    (hosts) =>
      `${hosts.toLocaleString("en")} hosts, ${(hosts * perHost.bindings).toLocaleString("en")} bindings`,
  );
  const imports = await step("imports", () => importTable(cluster, "hosts_0", all));
  console.log(`p50 in milliseconds, and in parentheses how much of it is CPU of Postgres:\n`);
  console.log(table(heads, curves));
  console.log(`\nImports of 2,000 new hosts, median of ${longRounds}:\n\n${imports}`);
  for (const loaded of all) {
    await closeLoaded(loaded);
  }
});
