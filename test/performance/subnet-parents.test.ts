import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { hashApiKey, mintApiKey } from "../../src/api-key.ts";
import { recordCalls } from "../bench/statements.ts";
import { type Loaded, openLoaded } from "./loaded.ts";
import { readsOf } from "./reads.ts";

const key = mintApiKey();
const organization = crypto.randomUUID();
const network = crypto.randomUUID();
const count = 2000;

/** One network with many subnets, as after an import. */
async function load(client: pg.Client): Promise<void> {
  await migrateDatabase(client);
  await client.query("insert into organizations (id, name) values ($1, 'Test')", [organization]);
  await client.query("insert into networks (organization_id, id, name) values ($1, $2, 'A')", [
    organization,
    network,
  ]);
  const { rows } = await client.query<{ id: string }>(
    "insert into user_api_keys (organization_id, name, role) values ($1, 'Test', 'Viewer') returning id",
    [organization],
  );
  await client.query(
    `insert into user_api_key_secrets (organization_id, api_key_id, key_hash)
    values ($1, $2, decode($3, 'hex'))`,
    [organization, rows[0]?.id, await hashApiKey(key)],
  );
  await client.query(
    `insert into subnets (organization_id, network_id, name, cidr)
    select $1, $2, 'Subnet', set_masklen('10.0.0.0'::inet + 256 * number, 24)::cidr
    from generate_series(1, $3::int) as number`,
    [organization, network, count],
  );
}

let loaded: Loaded;

beforeAll(async () => {
  loaded = await openLoaded(process.env["TEST_DATABASE_URL"] ?? "", load);
}, 120_000);

afterAll(() => loaded?.close());

// Needs a real Postgres: reads inside functions are counted only there.
test.each([
  ["without statistics", false],
  ["with statistics", true],
])("a page of subnets does not read all subnets to find parents %s", async (_, isAnalyzed) => {
  if (isAnalyzed) {
    await loaded.client.query("vacuum (analyze) subnets");
  }
  for (const at of ["", `&at=${new Date().toISOString()}`]) {
    const path = `/api/v1/subnets?limit=10${at}`;
    const recording = await recordCalls(loaded.database, { method: "GET", path, key });
    const { rows } = await readsOf(loaded.client, recording);
    // Without statistics, reading the page itself at an instant may read all subnets twice.
    expect(rows.get("subnets") ?? 0, at).toBeLessThanOrEqual(3 * count);
  }
});
