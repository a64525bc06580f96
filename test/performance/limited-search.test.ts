import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { hashApiKey, mintApiKey } from "../../src/api-key.ts";
import { recordCalls } from "../bench/statements.ts";
import { type Loaded, openLoaded } from "./loaded.ts";
import { readsOf } from "./reads.ts";

const databaseUrl = process.env["TEST_DATABASE_URL"];
const key = mintApiKey();
const organization = crypto.randomUUID();
const network = { reached: crypto.randomUUID(), hidden: crypto.randomUUID() };

/** The number of records of each kind in the networks. */
const size = { reached: 50, hidden: 3000 };

/**
 * A word that appears in all hidden records, and in none of the records that the key can access.
 */
const hidden = "secretive";

async function load(client: pg.Client): Promise<void> {
  await migrateDatabase(client);
  await client.query("insert into organizations (id, name) values ($1, 'Test')", [organization]);
  await client.query(
    "insert into networks (organization_id, id, name) values ($1, $2, 'A'), ($1, $3, 'B')",
    [organization, network.reached, network.hidden],
  );
  const { rows } = await client.query<{ id: string }>(
    `insert into user_api_keys (organization_id, name, role, is_limited_to_networks)
    values ($1, 'Test', 'Viewer', true) returning id`,
    [organization],
  );
  await client.query("insert into user_api_key_networks values ($1, $2, $3)", [
    organization,
    rows[0]?.id,
    network.reached,
  ]);
  await client.query(
    `insert into user_api_key_secrets (organization_id, api_key_id, key_hash)
    values ($1, $2, decode($3, 'hex'))`,
    [organization, rows[0]?.id, await hashApiKey(key)],
  );
  for (const [id, count, word, block] of [
    [network.reached, size.reached, "plain", 1],
    [network.hidden, size.hidden, hidden, 2],
  ] as const) {
    const numbers = [organization, id, count, word];
    await client.query(
      `with added as (
        insert into hosts (organization_id, network_id, id, name)
        select $1, $2, gen_random_uuid(), concat_ws(' ', 'host', $4::text, '(é)', number)
        from generate_series(1, $3::int) as number returning id, name),
      addressed as (
        insert into ip_addresses (organization_id, network_id, host_id, address, name)
        select $1, $2, id, ('10.' || $5::int || '.0.0')::inet + row_number() over (), name from added)
      insert into services (organization_id, network_id, host_id, name, service_definition)
      select $1, $2, id, name, 'Nginx' from added`,
      [...numbers, block],
    );
    await client.query(
      `insert into subnets (organization_id, network_id, cidr, name)
      select $1, $2, text('10.' || $5::int || '.' || number / 8 || '.' || number % 8 * 32 || '/27')::cidr,
        concat_ws(' ', 'subnet', $4::text, '(é)', number)
      from generate_series(1, least(2000, $3::int)) as number`,
      [...numbers, block],
    );
  }
  await client.query("vacuum (analyze)");
}

// Needs a real Postgres: reads inside functions are counted only there.
describe("searches with a key that is limited to specific networks", () => {
  let loaded: Loaded;

  beforeAll(async () => {
    loaded = await openLoaded(databaseUrl ?? "", load);
  }, 120_000);

  afterAll(() => loaded?.close());

  test.each(
    ["hosts", "services", "ip-addresses", "subnets"].flatMap((collection) =>
      // Strings that all records contain reveal nothing about hidden networks, and a small table
      // may be read completely.
      [
        hidden,
        `${hidden} (é)`,
        "ve",
        "10.2.0",
        "10.2.",
        ...(collection === "subnets" ? [] : ["(é)", "é"]),
      ].map((text) => ({ collection, text })),
    ),
  )("$collection?q=$text does not read hidden records", async ({ collection, text }) => {
    for (const at of ["", `&at=${new Date().toISOString()}`]) {
      const path = `/api/v1/${collection}?limit=1&q=${encodeURIComponent(text)}${at}`;
      const recording = await recordCalls(loaded.database, { method: "GET", path, key });
      const { rows } = await readsOf(loaded.client, recording);
      // A search for hosts also searches their services and addresses.
      const searched =
        collection === "hosts"
          ? ["hosts", "services", "ip_addresses"]
          : [collection.replace("-", "_")];
      for (const table of searched) {
        expect(rows.get(table) ?? 0, table).toBeLessThanOrEqual(4 * size.reached);
      }
    }
  });

  test.each([
    hidden,
    `${hidden} (é)`,
    `host ${hidden}`,
    `subnet ${hidden}`,
    `${hidden} Nginx`,
    "ve",
    "10.2.0",
    "10.2.",
    "10.2.0.7",
    "10.2.0.0/27",
  ])("search?q=%s does not read hidden records", async (text) => {
    const path = `/api/v1/search?q=${encodeURIComponent(text)}`;
    const recording = await recordCalls(loaded.database, { method: "GET", path, key });
    const { rows } = await readsOf(loaded.client, recording);
    // Each word reads the records of the key's networks several times.
    for (const table of ["hosts", "services", "ip_addresses", "subnets"]) {
      expect(rows.get(table) ?? 0, table).toBeLessThanOrEqual(10 * size.reached);
    }
  });
});
