import { parseArgs } from "node:util";
import { answerHelp } from "../../drizzle/commands/command.ts";
import { type Build, buildOf, currentBuild } from "./build.ts";
import { type Cluster, connectTo, withCluster } from "./cluster.ts";
import { fill, keysOf } from "./load.ts";
import { ask, closeLoaded, type Loaded, openLoaded } from "./loaded.ts";
import { type Comparison, compare, comparisonOf, takeTurns } from "./measure.ts";
import { type MeasuredOperation, measuredOperations, putCredential } from "./operations.ts";
import { markdown, tableLine } from "./report.ts";
import { type BenchRequest, requestsPerSecond, send } from "./requests.ts";
import { digits } from "./row.ts";
import { namespace, tenOrganizations } from "./scene.ts";
import { startWorkerd } from "./workerd.ts";

/**
 * `npm run bench:pairs -- COMMIT`: compares this version with that of a commit, measuring them
 * alternately on one Postgres server.
 */
answerHelp(`Usage:
  npm run bench:pairs -- COMMIT [--rounds 200] [--only NAME] [--bindings NUMBER] [--hosts 5000]`);
const {
  values: { only, ...given },
  positionals: [commit],
} = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "200" },
    only: { type: "string" },
    bindings: { type: "string", default: String(tenOrganizations.bindings) },
    hosts: { type: "string", default: "5000" },
  },
});
const rounds = Number(given.rounds);
const hosts = Number(given.hosts);
/**
 * The number of binding versions. A third of them are live, and half of the live ones are in the
 * largest organization.
 */
const bindings = Number(given.bindings);
const clients = 8;

/** Both builds, each with a separate database. */
interface Both {
  ours: Loaded;
  reference: Loaded;
}

const statementsOf = {
  bindings: async ({ inventory }: Build) =>
    inventory({ ...tenOrganizations, bindings }, await keysOf(tenOrganizations.organizations)),
  hosts: async ({ networkInventory }: Build) =>
    networkInventory?.({ namespace, hosts, hostsOfSubnet: 100 }, await keysOf(2)) ?? null,
};

/** Creates and migrates a database; returns null if the build does not support such data. */
async function prepare(
  cluster: Cluster,
  build: Build,
  database: string,
  data: MeasuredOperation["data"],
) {
  const statements = await statementsOf[data](build);
  if (statements === null) {
    return null;
  }
  const databaseUrl = await cluster.createDatabase(database);
  const client = await connectTo(databaseUrl);
  await build.migrateDatabase(client);
  return async (): Promise<Loaded> => {
    await fill([client], statements);
    await client.end();
    return await openLoaded(databaseUrl, build.source);
  };
}

/**
 * Prepares both databases. They are migrated one after the other, since both create the same roles,
 * but are filled concurrently.
 */
async function runBoth(
  cluster: Cluster,
  { now, before }: { now: Build; before: Build },
  data: MeasuredOperation["data"],
): Promise<Both | null> {
  const runNow = await prepare(cluster, now, `${data}_now`, data);
  const runBefore = await prepare(cluster, before, `${data}_before`, data);
  if (runNow === null || runBefore === null) {
    return null;
  }
  const [ours, reference] = await Promise.all([runNow(), runBefore()]);
  return { ours, reference };
}

/** Requests per second from concurrent clients, each of which waits for its response. */
async function rate(
  { worker }: Loaded,
  operation: MeasuredOperation,
  requestsOfEach: number,
): Promise<number> {
  const requests = await operation.requests(worker.origin, clients * requestsOfEach);
  return await requestsPerSecond(worker.origin, requests, { clients, status: operation.status });
}

const ratio = ({ ratio: { median, quartiles } }: Comparison) =>
  `${median.toFixed(2)} (${quartiles.map((value) => value.toFixed(2)).join(" to ")})`;
const change = (comparison: Comparison, unit: string) =>
  `${digits(comparison.reference.median)} → ${digits(comparison.ours.median)} ${unit}`;

/** Measures both builds alternately. Returns a row of the table. */
async function compareBuilds(
  operation: MeasuredOperation,
  { ours, reference }: Both,
): Promise<string[]> {
  const turns = await takeTurns(
    operation.isLong ? Math.max(3, Math.round(rounds / 20)) : rounds,
    () => ask(ours, operation),
    () => ask(reference, operation),
  );
  const of = (name: keyof (typeof turns)[number]["ours"]) =>
    comparisonOf(turns.map((turn) => ({ ours: turn.ours[name], reference: turn.reference[name] })));
  const cells = (comparison: Comparison, unit: string) => [
    change(comparison, unit),
    ratio(comparison),
  ];
  const rates = operation.isLong
    ? null
    : await compare(
        Math.max(3, Math.round(rounds / 20)),
        () => rate(ours, operation, 24),
        () => rate(reference, operation, 24),
      );
  return [
    operation.name,
    ...cells(of("ms"), "ms"),
    ...(rates ? cells(rates, "/s") : ["", ""]),
    ...cells(of("postgresMs"), "ms"),
    ...cells(of("workerMs"), "ms"),
  ];
}

const starts = ["first answer of a new isolate", "first PUT credential of a new isolate"] as const;

/** Measures both starts, in milliseconds. */
async function start({ source }: Loaded, [update]: readonly BenchRequest[]) {
  const startedAt = performance.now();
  const worker = await startWorkerd(source);
  try {
    await send(worker.origin, { method: "GET", path: "/api/version" });
    const first = performance.now() - startedAt;
    const { totalMs } = update ? await send(worker.origin, update) : { totalMs: Number.NaN };
    return [first, totalMs] as const;
  } finally {
    await worker.stop();
  }
}

async function compareStarts({ ours, reference }: Both): Promise<string[][]> {
  const update = await putCredential.requests(ours.worker.origin, 1);
  const turns = await takeTurns(
    Math.max(3, Math.round(rounds / 10)),
    () => start(ours, update),
    () => start(reference, update),
  );
  return starts.map((what, index) => {
    const comparison = comparisonOf(
      turns.map((turn) => ({
        ours: turn.ours[index] ?? Number.NaN,
        reference: turn.reference[index] ?? Number.NaN,
      })),
    );
    return [what, change(comparison, "ms"), ratio(comparison)];
  });
}

if (commit === undefined || ![rounds, bindings, hosts].every(Number.isInteger)) {
  console.error(
    "npm run bench:pairs -- COMMIT [--rounds 200] [--only NAME] [--bindings 600000] [--hosts 5000]",
  );
  process.exit(1);
}
await withCluster(async (cluster) => {
  const heads = [
    `what, ${commit} → now`,
    ...[
      "time",
      `requests a second, ${clients} clients`,
      "CPU of Postgres",
      "CPU of the Worker",
    ].flatMap((head) => [head, "ratio"]),
  ];
  const builds = { now: await currentBuild(), before: await buildOf(commit) };
  console.log(markdown(heads, []));
  // A run takes a long time, so print each row immediately.
  const write = (cells: readonly string[]) =>
    console.log(tableLine([...cells, ...Array(heads.length - cells.length).fill("")]));
  const isAsked = (name: string) => only === undefined || name.includes(only);
  for (const data of ["bindings", "hosts"] as const) {
    const operations = measuredOperations.filter((one) => one.data === data && isAsked(one.name));
    const hasStart = data === "bindings" && starts.some(isAsked);
    if (operations.length === 0 && !hasStart) {
      continue;
    }
    console.error(`${data}: loading`);
    const both = await runBoth(cluster, builds, data);
    if (both === null) {
      console.error(`${data}: ${commit} has none`);
      continue;
    }
    for (const operation of operations) {
      console.error(operation.name);
      try {
        await ask(both.reference, operation);
      } catch (error) {
        console.error(`  left out: ${String(error).slice(0, 200)}`);
        continue;
      }
      await ask(both.ours, operation);
      if (!operation.isLong) {
        // Warm up. The first requests are slow because connections are new and records change for
        // the first time. The first five are slow because statements in functions are planned again
        // on each connection. The first few hundred are slow because V8 is still compiling the
        // code.
        await rate(both.reference, operation, 100);
        await rate(both.ours, operation, 100);
      }
      write(await compareBuilds(operation, both));
    }
    if (hasStart) {
      (await compareStarts(both)).forEach(write);
    }
    await Promise.all([both.ours, both.reference].map(closeLoaded));
  }
});
