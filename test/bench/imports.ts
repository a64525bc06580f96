import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { hashApiKey } from "../../src/api-key.ts";
import { bundle, workerSource } from "./bundle.ts";
import { postgresPrograms, startCluster } from "./cluster.ts";
import { startDatabaseProcess } from "./database-process.ts";
import { keyOf } from "./load.ts";
import { nmapFile, probed } from "./nmap-file.ts";
import { cpuMs, forgetPeak, memoryMib, peakMemoryMib } from "./process.ts";
import { type BenchRequest, send } from "./requests.ts";
import { digits } from "./row.ts";
import { startWorkerd } from "./workerd.ts";

const organization = "00000000-0000-4000-8000-0000000000aa";
const key = keyOf(1);

const hex = (value: number) => value.toString(16).padStart(2, "0");

/** What one scan of a large network says. */
const reportOf = (hosts: number) => ({
  source: { name: "bench", version: null },
  hosts: Array.from({ length: hosts }, (_, host) => ({
    hostname: `host-${host}.example.com`,
    addresses: [
      {
        ip_address: `10.0.${host >> 8}.${host & 255}`,
        mac_address: `02:00:00:00:${hex(host >> 8)}:${hex(host & 255)}`,
      },
    ],
    ports: [22, 443].map((number) => ({
      number,
      protocol: "Tcp",
      service: { name: number === 22 ? "OpenSSH" : "Nginx" },
    })),
    scanned_ports: [{ protocol: "Tcp", from: 1, to: 1024 }],
  })),
});

interface Import {
  name: string;
  what: string;
  sent: Pick<BenchRequest, "json" | "xml">;
  /** In seconds. */
  bounds: { first: number; again: number } | null;
  /** In MiB. */
  mostMemory: number | null;
}

const imports: readonly Import[] = [
  ...[
    { hosts: 2000, bounds: { first: 3, again: 1.5 } },
    { hosts: 5000, bounds: null },
  ].map(({ hosts, bounds }) => ({
    name: `imports_${hosts}`,
    what: `${hosts} hosts of two ports`,
    sent: { json: reportOf(hosts) },
    bounds,
    mostMemory: null,
  })),
  {
    name: "imports_nmap",
    what: "nmap's hosts of eight probed ports",
    sent: { xml: nmapFile(2_000_000, 8, probed) },
    bounds: null,
    mostMemory: 64,
  },
];

const tables = ["hosts", "ip_addresses", "ports", "services", "bindings"];

/** Seconds that the same rows take to be copied into tables without indexes, keys and triggers. */
async function plainCopy(client: pg.Client): Promise<{ rows: number; seconds: number }> {
  let rows = 0;
  let seconds = 0;
  for (const table of tables) {
    await client.query(
      `drop table if exists plain; create unlogged table plain as table ${table} with no data`,
    );
    const began = performance.now();
    rows += (await client.query(`insert into plain table ${table}`)).rowCount ?? 0;
    seconds += (performance.now() - began) / 1000;
  }
  return { rows, seconds };
}

const programs = postgresPrograms();
if (programs === null) {
  console.error(
    "This bench needs Postgres' programs under /usr/lib/postgresql: install postgresql.",
  );
  process.exit(1);
}
const cluster = await startCluster(programs);
const built = bundle();
let isSlow = false;
try {
  for (const { name, what, sent, bounds, mostMemory } of imports) {
    const admin = new pg.Client({ connectionString: cluster.url("postgres") });
    await admin.connect();
    await admin.query(`create database ${name}`);
    await admin.end();
    const client = new pg.Client({ connectionString: cluster.url(name) });
    // When the bench fails, Postgres is stopped under it; an unheard "error" would hide why.
    client.on("error", () => {});
    await client.connect();
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
    const server = await startDatabaseProcess({ databaseUrl: cluster.url(name) });
    const worker = await startWorkerd(workerSource(built, server));
    const path = `/api/v1/networks/${organization}/imports`;
    const bytes = Buffer.byteLength(sent.xml ?? JSON.stringify(sent.json));
    await send(worker.origin, { method: "GET", path: "/api/v1/auth/whoami", key });
    const held = memoryMib(worker.pid);
    forgetPeak(worker.pid);
    console.log(`\n${what}, ${digits(bytes / 1024)} KiB`);
    for (const run of ["first", "again", "again"] as const) {
      const cpu = cpuMs(worker.pid);
      const { totalMs } = await send(worker.origin, { method: "POST", path, key, ...sent });
      const taken = totalMs / 1000;
      const bound = bounds?.[run];
      isSlow ||= bound !== undefined && taken > bound;
      console.log(
        `  ${run}: ${digits(taken)} s${bound ? ` of ${bound} s` : ""}, the Worker's CPU ${digits(cpuMs(worker.pid) - cpu)} ms`,
      );
      await sleep(100);
    }
    const grown = peakMemoryMib(worker.pid) - held;
    isSlow ||= mostMemory !== null && grown > mostMemory;
    console.log(
      `  the Worker's memory: ${digits(grown)} MiB${mostMemory === null ? "" : ` of ${mostMemory}`} above its start`,
    );
    const { rows, seconds } = await plainCopy(client);
    console.log(`  plain copy of the ${rows} rows: ${digits(seconds)} s`);
    await worker.stop();
    await server.stop();
    await client.end();
  }
} finally {
  await cluster.stop();
}
process.exitCode = isSlow ? 1 : 0;
