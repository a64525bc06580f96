import { startCluster, postgresPrograms } from "/work/main/test/bench/cluster.ts";
import { loadDatabase } from "/work/main/test/bench/load.ts";
import pg from "pg";
const cluster = await startCluster(postgresPrograms()!);
console.log(cluster.url("postgres"));
const admin = new pg.Client({connectionString: cluster.url("postgres")}); await admin.connect();
await admin.query("create database small"); 
console.time("small");
await loadDatabase(cluster.url("small"), {namespace:"bench", organizations: 10, bindings: 100_000, history: true, credentials: 10_000});
console.timeEnd("small");
if (process.argv[2]) {
await admin.query("create database million"); 
console.time("million");
await loadDatabase(cluster.url("million"), {namespace:"bench", organizations: 10, bindings: 1_000_000, history: true, credentials: 10_000});
console.timeEnd("million");
await admin.query("create database stream"); 
console.time("stream");
await loadDatabase(cluster.url("stream"), {namespace:"bench", organizations: 1, bindings: 500_000, history: false, credentials: 10});
console.timeEnd("stream");
}
await admin.end();
process.on("SIGINT", () => {});
await new Promise(r => process.once("SIGTERM", r));
await cluster.stop();
