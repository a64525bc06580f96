import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { makeDatabase } from "../local-database/postgres.ts";

const serverUrl = process.env["TEST_DATABASE_URL"];

const id = (kind: string, number = "0") => `md5('${kind}:' || ${number})::uuid`;
const [organization, network, daemon] = [id("organization"), id("network"), id("daemon")];
const [earlier, latest] = [id("scan", "1"), id("scan", "2")];
const hosts = 1500;
const host = id("host", "host");
const port = id("port", "host || '/' || port");
const eachHost = `generate_series(1, ${hosts}) as host`;
const eachPort = `${eachHost}, generate_series(1, 10) as port`;
const address = "'10.0.0.0'::inet + host";
const record = "organization_id, network_id, host_id, last_seen_at, valid_from";
const own = `${organization}, ${network}, ${host}, now() - interval '1 hour', now() - interval '1 hour'`;
const ofEarlier = `${earlier}, ${earlier}`;

/**
 * A daemon whose full scan found ten ports on each of 1,500 hosts, with a separate credential for
 * each host. Its next scan found only the hosts, without the credentials.
 */
const seed = [
  `insert into organizations (id, name) values (${organization}, 'Test')`,
  `insert into networks (organization_id, id, name) values (${organization}, ${network}, 'Test')`,
  `insert into daemons (organization_id, id, network_id, name, url, poll_generation, lease_expires_at)
    values (${organization}, ${daemon}, ${network}, 'Test', 'https://daemon.example.com', 1,
      now() + interval '1 hour')`,
  `insert into hosts (organization_id, network_id, id, last_seen_at, valid_from, name)
    select ${own}, 'Test' from ${eachHost}`,
  `insert into ip_addresses (${record}, address) select ${own}, ${address} from ${eachHost}`,
  `insert into ports (${record}, id, number, protocol) select ${own}, ${port}, port, 'Tcp' from ${eachPort}`,
  `insert into services (${record}, id, name, service_definition)
    select ${own}, ${host}, 'Test', 'Test' from ${eachHost}`,
  `insert into bindings (${record}, service_id, type, port_id, first_discovery_id, last_discovery_id)
    select ${own}, ${host}, 'Port', ${port}, ${ofEarlier} from ${eachPort}`,
  `insert into discovery_sessions (organization_id, network_id, id, daemon_id, phase, started_at, finished_at)
    select ${organization}, ${network}, scan, ${daemon}, 'Complete', started_at, now()
    from (values (${earlier}, now() - interval '1 hour'), (${latest}, now())) as scan (scan, started_at)`,
  `insert into app.scan_scopes (organization_id, daemon_id, id, is_full, credentials, digest)
    select ${organization}, ${daemon}, ${earlier}, true, jsonb_object_agg(${host},
      jsonb_build_object('hosts', array[${host}], 'addresses', array[host(${address})])), '1'::bytea from ${eachHost}
    union all select ${organization}, ${daemon}, ${latest}, true, '{}', '2'::bytea`,
  `insert into app.handed_scans (organization_id, session_id, daemon_id, started_at, scope_id)
    select organization_id, id, daemon_id, started_at, id from discovery_sessions`,
  `insert into app.scan_hosts (organization_id, session_id, host_id)
    select ${organization}, ${latest}, ${host} from ${eachHost}`,
];

// Needs a real Postgres: PGlite's timings are not representative of a server.
describe("a large scan on a real Postgres (TEST_DATABASE_URL)", () => {
  let client: pg.Client;
  let drop = async () => {};

  beforeAll(async () => {
    const made = await makeDatabase(serverUrl ?? "");
    drop = made.drop;
    client = new pg.Client({ connectionString: made.databaseUrl });
    await client.connect();
    await migrateDatabase(client);
    await client.query("set session_replication_role = replica");
    for (const statement of seed) {
      await client.query(statement);
    }
    await client.query("set session_replication_role = origin");
    await client.query("vacuum (analyze)");
  }, 120_000);

  afterAll(async () => {
    await client.end();
    await drop();
  });

  test("settles in less than 2 s, and does not end any bindings without the previous credentials", async () => {
    await client.query("begin");
    await client.query(`select app.enter_visit(${organization}, ${daemon}, 1)`);
    const began = performance.now();
    const { rows } = await client.query(`select app.settle_scan(${latest}) as ended`);
    expect(performance.now() - began).toBeLessThan(2000);
    expect(rows).toEqual([{ ended: 0 }]);
    await client.query("rollback");
  });

  test.each(["SnmpV2c", "DockerSocket"])(
    "takes less than 2 s to find the bindings that a credential of type %s did not reveal",
    async (type) => {
      await client.query("begin");
      await client.query(
        `update app.scan_scopes set credentials = (
          select jsonb_object_agg(key, value || jsonb_build_object('type', $1::text))
          from jsonb_each(credentials))
        where id = ${earlier}`,
        [type],
      );
      await client.query(`select app.enter_visit(${organization}, ${daemon}, 1)`);
      const began = performance.now();
      const { rows } = await client.query(
        `select cardinality(app.looked_for(${latest}, array(
        select (id, host_id, ${earlier})::app.unseen_record from bindings
        where organization_id = ${organization}))) as count`,
      );
      expect(performance.now() - began).toBeLessThan(2000);
      expect(rows).toEqual([{ count: 10 * hosts }]);
      await client.query("rollback");
    },
  );

  test("the daemon gate disables JIT", async () => {
    await client.query("begin");
    await client.query(`select app.enter_visit(${organization}, ${daemon}, 1)`);
    expect((await client.query("show jit")).rows).toEqual([{ jit: "off" }]);
    await client.query("rollback");
  });
});
