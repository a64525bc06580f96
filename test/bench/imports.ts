import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { hashApiKey } from "../../src/api-key.ts";
import { bundle, workerSource } from "./bundle.ts";
import { connectTo, withCluster } from "./cluster.ts";
import { startDatabaseProcess } from "./database-process.ts";
import { reportOf } from "./import-report.ts";
import { keyOf } from "./load.ts";
import { nmapFile, probed } from "./nmap-file.ts";
import { cpuMs, forgetPeak, memoryMib, peakMemoryMib } from "./process.ts";
import { type BenchRequest, send } from "./requests.ts";
import { digits } from "./row.ts";
import { startWorkerd } from "./workerd.ts";

const organization = "00000000-0000-4000-8000-0000000000aa";
const key = keyOf(1);

interface Import {
  name: string;
  what: string;
  sent: Pick<BenchRequest, "json" | "xml">;
  /** The maximum duration of each import, in seconds. */
  bounds: { first: number; again: number } | null;
  /** The maximum growth of the Worker's memory during the first import, in MiB. */
  mostMemory: number | null;
}

const imports: readonly Import[] = [
  ...[
    { hosts: 2000, ports: [22, 443], bounds: { first: 3, again: 1.5 } },
    { hosts: 5000, ports: [22, 443], bounds: null },
    // Almost the maximum number of rows in an import.
    { hosts: 5000, ports: [22, 25, 80, 110, 143, 443], bounds: null },
  ].map(({ hosts, ports, bounds }) => ({
    name: `imports_${hosts}_${ports.length}`,
    what: `${hosts} hosts of ${ports.length} ports`,
    sent: { json: reportOf(hosts, ports) },
    bounds,
    mostMemory: null,
  })),
  {
    name: "imports_nmap",
    what: "nmap's file of hosts of 8 probed ports",
    sent: { xml: nmapFile(2_000_000, 8, probed) },
    bounds: null,
    mostMemory: 64,
  },
];

const tables = ["hosts", "ip_addresses", "ports", "interfaces", "services", "bindings"];

/**
 * Measures how long `copy` takes to load the same rows into tables without indexes, keys or
 * triggers.
 */
async function plainCopy(client: pg.Client): Promise<{ rows: number; seconds: number }> {
  let rows = 0;
  let seconds = 0;
  const { rows: settings } = await client.query("show data_directory");
  const file = `'${settings[0].data_directory}/plain'`;
  for (const table of tables) {
    await client.query(`copy (table ${table}) to ${file}`);
    await client.query(
      `drop table if exists plain; create table plain as table ${table} with no data`,
    );
    const began = performance.now();
    rows += (await client.query(`copy plain from ${file}`)).rowCount ?? 0;
    seconds += (performance.now() - began) / 1000;
  }
  return { rows, seconds };
}

const built = bundle();
let isSlow = false;
await withCluster(async (cluster) => {
  for (const { name, what, sent, bounds, mostMemory } of imports) {
    const databaseUrl = await cluster.createDatabase(name);
    const client = await connectTo(databaseUrl);
    await migrateDatabase(client);
    await client.query("insert into organizations (id, name) values ($1, 'Bench')", [organization]);
    await client.query(
      "insert into networks (id, organization_id, name) values ($1, $1, 'Bench')",
      [organization],
    );
    await client.query(
      "insert into user_api_keys (id, organization_id, name, role) values ($1, $1, 'Bench', 'Owner')",
      [organization],
    );
    await client.query(
      "insert into user_api_key_secrets (organization_id, api_key_id, key_hash) values ($1, $1, decode($2, 'hex'))",
      [organization, await hashApiKey(key)],
    );
    const server = await startDatabaseProcess({ databaseUrl });
    const worker = await startWorkerd(workerSource(built, server));
    const path = `/api/v1/networks/${organization}/imports`;
    const bytes = Buffer.byteLength(sent.xml ?? JSON.stringify(sent.json));
    await send(worker.origin, { method: "GET", path: "/api/v1/auth/whoami", key });
    const held = memoryMib(worker.pid);
    forgetPeak(worker.pid);
    console.log(`\n${what}, ${digits(bytes / 1024)} KiB`);
    let firstSeconds = 0;
    for (const run of ["first", "again", "again"] as const) {
      const cpu = cpuMs(worker.pid);
      const { totalMs } = await send(worker.origin, { method: "POST", path, key, ...sent });
      const elapsed = totalMs / 1000;
      const grown = peakMemoryMib(worker.pid) - held;
      const bound = bounds?.[run];
      isSlow ||= bound !== undefined && elapsed > bound;
      if (run === "first") {
        firstSeconds = elapsed;
        isSlow ||= mostMemory !== null && grown > mostMemory;
      }
      console.log(
        `  ${run}: ${digits(elapsed)} s${bound ? ` of ${bound} s` : ""}; the Worker's CPU ${digits(cpuMs(worker.pid) - cpu)} ms, its memory ${digits(grown)} MiB above its start`,
      );
      await sleep(100);
    }
    const { rows, seconds } = await plainCopy(client);
    console.log(
      `  first: ${digits(rows / firstSeconds)} rows a second; a plain copy of the ${rows} rows: ${digits(rows / seconds)}`,
    );
    await worker.stop();
    await server.stop();
    await client.end();
  }
  process.exitCode = isSlow ? 1 : 0;
});
