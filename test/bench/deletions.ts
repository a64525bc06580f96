import { parseArgs } from "node:util";
import { answerHelp } from "../../drizzle/commands/command.ts";
import { bundle, workerSource } from "./bundle.ts";
import { type Cluster, connectTo, withCluster } from "./cluster.ts";
import { startDatabaseProcess } from "./database-process.ts";
import { loadDatabase } from "./load.ts";
import { send } from "./requests.ts";
import { digits } from "./row.ts";
import { largest as key, namespace } from "./scene.ts";
import { startWorkerd } from "./workerd.ts";

const size = { namespace, organizations: 1, bindings: 160, history: false, credentials: 1 };
const ports = [22, 25, 80, 110, 143, 443].map((number) => ({ number, protocol: "Tcp" }));

/** The hosts of an import, numbered by a range. */
const hostsOf = (from: number, to: number, more: object) =>
  Array.from({ length: to - from }, (_, index) => ({
    addresses: [{ ip_address: `10.0.${(from + index) >> 8}.${(from + index) & 255}` }],
    ...more,
  }));

const shapes = [
  // Including the hosts, this is the maximum number of records that one request can delete.
  {
    what: "a network of 1,000 hosts with 19 records each",
    hosts: 1000,
    of: "network",
    status: 200,
  },
  { what: "a subnet with 10,000 addresses", hosts: 10_000, of: "subnet", status: 200 },
  { what: "a subnet with 19,000 addresses", hosts: 19_000, of: "subnet", status: 409 },
] as const;

answerHelp(`Usage:
  npm run bench:deletions -- [--at-once 100]`);
const { values } = parseArgs({ options: { "at-once": { type: "string", default: "100" } } });
const atOnce = Number(values["at-once"]);
const built = bundle();

/** Creates an empty database with a key on the bench's Postgres. */
async function makeDatabase(cluster: Cluster, name: string): Promise<string> {
  const databaseUrl = await cluster.createDatabase(name);
  const owner = await connectTo(databaseUrl);
  await loadDatabase(owner, size);
  await owner.end();
  return databaseUrl;
}

await withCluster(async (cluster) => {
  for (const [index, { what, hosts, of, status }] of shapes.entries()) {
    for (const on of [null, cluster]) {
      const server = await startDatabaseProcess(
        on ? { databaseUrl: await makeDatabase(on, `deletions_${index}`) } : { inventory: size },
      );
      const worker = await startWorkerd(workerSource(built, server));
      const post = (path: string, json: unknown, status = 201) =>
        send(worker.origin, { method: "POST", path: `/api/v1/${path}`, key, json }, { status });
      const [network, subnet] = [crypto.randomUUID(), crypto.randomUUID()];
      await post("networks", { id: network, name: what });
      await post("subnets", { id: subnet, network_id: network, name: "All", cidr: "10.0.0.0/16" });
      for (let from = 0; from < hosts; from += atOnce) {
        const more = { ports: of === "network" ? ports : [] };
        const json = { hosts: hostsOf(from, Math.min(from + atOnce, hosts), more) };
        await post(`networks/${network}/imports`, json, 200);
      }
      const path = of === "network" ? `networks/${network}?cascade=true` : `subnets/${subnet}`;
      const request = { method: "DELETE", path: `/api/v1/${path}`, key } as const;
      const { totalMs } = await send(worker.origin, request, { status });
      console.log(
        `${what}, ${on ? "Postgres" : "embedded"}: ${status} after ${digits(totalMs / 1000)} s`,
      );
      await worker.stop();
      await server.stop();
    }
  }
});
