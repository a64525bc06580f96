import { PgDialect } from "drizzle-orm/pg-core";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { claimSize, claimStatement } from "../../src/changes/deliveries/claims.ts";
import { makeDatabase } from "../local-database/postgres.ts";
import { planOf } from "./plan.ts";

const serverUrl = process.env["TEST_DATABASE_URL"];

const organizations = 2000;
/** Disabled webhooks, in organizations without other webhooks. */
const disabled = 20_000;
const id = (kind: string, number: string) => `md5('${kind}:' || ${number})::uuid`;

const seed = [
  `insert into organizations (id, name)
    select ${id("organization", "nth")}, 'Test' from generate_series(1, ${organizations + 2000}) as nth`,
  `insert into transactions (organization_id, changed_at, actor_type)
    select ${id("organization", "nth")}, now() - step * interval '1 hour', 'system'
    from generate_series(1, ${organizations}) as nth, generate_series(1, 10) as step`,
  `insert into webhooks (organization_id, id, name, url, secret_hint, position_at, position_entity, position_id)
    select ${id("organization", "nth")}, ${id("webhook", "nth")}, 'Test', 'https://receiver.example.com/',
      'AAAA', now() - interval '1 hour', '~', ${id("webhook", "nth")}
    from generate_series(1, ${organizations}) as nth`,
  `insert into webhooks (organization_id, id, name, url, secret_hint, position_at, position_entity, position_id,
      disabled_reason)
    select ${id("organization", `${organizations} + nth % 2000 + 1`)}, ${id("disabled", "nth")}, 'Test',
      'https://receiver.example.com/', 'AAAA', now(), '~', ${id("webhook", "nth")}, 'failing'
    from generate_series(1, ${disabled}) as nth`,
];

// Needs a real Postgres: PGlite's timings are not representative of a server.
describe.skipIf(serverUrl === undefined)("claims on a real Postgres (TEST_DATABASE_URL)", () => {
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

  const claim = () => {
    const { sql, params } = new PgDialect().sqlToQuery(
      claimStatement("00000000-0000-0000-0000-000000000000", claimSize),
    );
    return { query: sql, params: params.map(String) };
  };

  test("a cycle without due deliveries reads one webhook per organization, and no disabled webhooks", async () => {
    const { scans, returned } = await planOf(client, claim());
    expect(returned).toBe(0);
    const read = scans
      .filter(({ table }) => table === "webhooks")
      .reduce((sum, scan) => sum + scan.read, 0);
    // One read finds the organization, and one reads its webhook.
    expect(read).toBeLessThanOrEqual(2 * organizations + 10);
    expect(scans.filter(({ isWhole }) => isWhole)).toEqual([]);
  });

  test("a claim finds due webhooks by their row location, without rereading other webhooks", async () => {
    await client.query(`
      insert into transactions (organization_id, changed_at, actor_type)
      select organization_id, now(), 'system' from webhooks where disabled_reason is null limit 5`);
    await client.query("begin");
    const { scans, returned } = await planOf(client, claim());
    await client.query("rollback");
    expect(returned).toBe(5);
    const read = scans
      .filter(({ table }) => table === "webhooks")
      .reduce((sum, scan) => sum + scan.read, 0);
    expect(read).toBeLessThanOrEqual(2 * organizations + 20);
  });
});
