import { parseArgs } from "node:util";
import { answerHelp } from "../../drizzle/commands/command.ts";
import { bundle, workerSource } from "./bundle.ts";
import { callRows } from "./calls.ts";
import { connectTo, withCluster } from "./cluster.ts";
import { loadDatabase, loadNetwork } from "./load.ts";
import { closeLoaded, openLoaded } from "./loaded.ts";
import { perHost } from "./network-inventory.ts";
import { operationTable } from "./operation-cost.ts";
import { table } from "./report.ts";
import { namespace, tenOrganizations } from "./scene.ts";
import { streamingRows } from "./streaming.ts";
import { workerRows } from "./worker-cost.ts";

/** `npm run bench`: measures the Worker in workerd, and compares the results with their bounds. */
answerHelp(`Usage:
  npm run bench -- [--quick]`);
const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const rounds = values.quick ? 3 : 9;
const hosts = values.quick ? 5000 : 20_000;

async function step<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  process.stderr.write(`${name} …`);
  const result = await run();
  process.stderr.write(` ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
  return result;
}

await withCluster(async (cluster) => {
  const built = bundle();
  const urls = {
    bindings: await cluster.createDatabase("bindings"),
    hosts: await cluster.createDatabase("hosts"),
  };
  await step("load the data", async () => {
    const [client, helper, owner] = [
      await connectTo(urls.hosts),
      await connectTo(urls.hosts),
      await connectTo(urls.bindings),
    ];
    await loadNetwork(client, { namespace, hosts, hostsOfSubnet: 100 }, [helper]);
    await loadDatabase(owner, tenOrganizations);
    await Promise.all([client, helper, owner].map((each) => each.end()));
  });
  const open = (databaseUrl: string) =>
    openLoaded(databaseUrl, (server) => workerSource(built, server));
  const loaded = { bindings: await open(urls.bindings), hosts: await open(urls.hosts) };

  const operations = await step("operations", () =>
    operationTable(loaded, urls.bindings, rounds * 10),
  );
  const rows = await step("count calls", () => callRows(loaded.bindings));
  rows.push(
    ...(await step("the Worker itself", () => workerRows(loaded.bindings, built, rounds))),
    ...(await step("limit=0", () =>
      streamingRows(loaded.hosts, { hosts, bindings: hosts * perHost.bindings }, rounds),
    )),
  );
  console.log(`${operations}\n\n${table(rows)}`);
  await Promise.all(Object.values(loaded).map(closeLoaded));
});
