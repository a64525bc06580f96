import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { hashApiKey, mintApiKey } from "../../src/api-key.ts";
import { asTenant, recordCalls } from "../bench/statements.ts";
import { type Loaded, openLoaded } from "./loaded.ts";
import { planOf } from "./plan.ts";

const key = mintApiKey();

/**
 * A thousand small organizations, which determine Postgres' estimate of an organization's size, and
 * a large one.
 */
async function load(client: pg.Client): Promise<void> {
  await migrateDatabase(client);
  await client.query("set session_replication_role = replica");
  await client.query(
    "insert into organizations (name) select 'Test' from generate_series(1, 1000)",
  );
  await client.query(`
    with owner as (select id, row_number() over () as number from organizations),
    connected as (insert into networks (organization_id, id, name) select id, id, 'Test' from owner)
    insert into hosts (organization_id, network_id, id, name, created_at, valid_from, last_seen_at)
    select owner.id, owner.id, gen_random_uuid(), 'Test', now(), now(), now()
    from owner, generate_series(1, case when number = 1 then 20000 else 5 end)`);
  for (const [table, columns, values] of [
    ["ports", "number, protocol", "80, 'Tcp'"],
    ["services", "name, service_definition", "'Test', 'Nginx'"],
    ["ip_addresses", "address", "'10.0.0.1'"],
    ["bindings", "service_id, type, port_id", "id, 'Port', id"],
  ] as const) {
    await client.query(`
      insert into ${table} (organization_id, network_id, host_id, id, created_at, valid_from, last_seen_at, ${columns})
      select organization_id, network_id, id, gen_random_uuid(), now(), now(), now(), ${values} from hosts`);
  }
  await client.query(
    `with owner as (select organization_id as id from hosts group by 1 order by count(*) desc limit 1),
    made as (
      insert into user_api_keys (organization_id, name, role) select id, 'Test', 'Viewer' from owner
      returning organization_id, id)
    insert into user_api_key_secrets (organization_id, api_key_id, key_hash)
    select organization_id, id, decode($1, 'hex') from made`,
    [await hashApiKey(key)],
  );
  await client.query("set session_replication_role = origin");
  await client.query("vacuum (analyze)");
}

interface Explained {
  "QUERY PLAN": [{ Plan: { "Shared Hit Blocks": number; "Shared Read Blocks": number } }];
}

describe("looking up an id in a large organization among small ones", () => {
  let loaded: Loaded;

  beforeAll(async () => {
    loaded = await openLoaded(process.env["TEST_DATABASE_URL"] ?? "", load);
  }, 120_000);

  afterAll(() => loaded?.close());

  test.each(["Host", "Port", "Service", "IPAddress", "Binding"])(
    "reads few blocks for a %s, even with a cached plan",
    async (kind) => {
      const whoami = { method: "GET", path: "/api/v1/auth/whoami", key } as const;
      const { calls } = await recordCalls(loaded.database, whoami);
      const [call] = calls;
      if (call === undefined) {
        throw new Error("no call was recorded");
      }
      const read: number[] = [];
      // Postgres can use a cached plan from the sixth execution onward. Earlier executions also
      // read the catalog.
      for (let time = 0; time < 10; time++) {
        await asTenant(loaded.client, call.gate, async () => {
          const { rows } = await loaded.client.query<Explained>(
            "explain (analyze, buffers, format json) select app.missing($1, array[gen_random_uuid()])",
            [kind],
          );
          const plan = rows[0]?.["QUERY PLAN"][0].Plan;
          read.push((plan?.["Shared Hit Blocks"] ?? 0) + (plan?.["Shared Read Blocks"] ?? 0));
        });
      }
      expect(read.at(-1)).toBeLessThan(40);
    },
  );

  test.each(["hosts", "ports", "services", "ip_addresses", "bindings"])(
    "reads at most two rows of each table for one of the %s, with the plan of its stored statement",
    async (table) => {
      const { rows } = await loaded.client.query<{ id: string }>(
        `select id from ${table} where organization_id = (select organization_id from user_api_keys)
         limit 1`,
      );
      const path = `/api/v1/${table.replace("_", "-")}/${rows[0]?.id}`;
      const { calls } = await recordCalls(loaded.database, { method: "GET", path, key });
      const [call] = calls;
      const [statement] = call?.statements ?? [];
      if (call === undefined || statement === undefined) {
        throw new Error("no statement was recorded");
      }
      const { scans, returned } = await asTenant(loaded.client, call.gate, () =>
        planOf(loaded.client, statement),
      );
      expect(returned).toBe(1);
      expect(scans.map((scan) => scan.table)).toContain(table);
      expect(scans.filter(({ read }) => read > 2)).toEqual([]);
    },
  );
});
