import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { hashApiKey, mintApiKey } from "../../src/api-key.ts";
import { recordCalls } from "../bench/statements.ts";
import { type Loaded, openLoaded } from "./loaded.ts";
import { readsOf } from "./reads.ts";

const databaseUrl = process.env["TEST_DATABASE_URL"];
const key = mintApiKey();

/**
 * The maximum number of services that a partial name can match in a search that still finds hosts
 * (API contract, section 9).
 */
const most = 10_000;

const servicesOfHost = 20;

async function load(client: pg.Client): Promise<void> {
  await migrateDatabase(client);
  const organization = crypto.randomUUID();
  const network = crypto.randomUUID();
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
  // Without triggers: they take most of the time, and the search does not read their results.
  await client.query("set session_replication_role = replica");
  for (const [name, count] of [
    ["commoner", 2 * most],
    ["bounded", most],
  ] as const) {
    await client.query(
      `with added as (
        insert into hosts (organization_id, network_id, id, name, created_at, valid_from, last_seen_at)
        select $1, $2, gen_random_uuid(), 'host', now(), now(), now()
        from generate_series(1, $4::int / $5::int) returning id)
      insert into services (organization_id, network_id, host_id, name, service_definition,
        created_at, valid_from, last_seen_at)
      select $1, $2, id, concat_ws('-', $3::text, row_number() over ()), 'Nginx', now(), now(), now()
      from added, generate_series(1, $5::int)`,
      [organization, network, name, count, servicesOfHost],
    );
  }
  await client.query(
    `insert into ports (organization_id, network_id, host_id, number, protocol,
      created_at, valid_from, last_seen_at)
    select organization_id, network_id, host_id, row_number() over (partition by host_id order by id), 'Tcp',
      now(), now(), now()
    from services`,
  );
  await client.query(
    `insert into bindings (organization_id, network_id, host_id, type, service_id, port_id,
      created_at, valid_from, last_seen_at)
    select service.organization_id, service.network_id, service.host_id, 'Port', service.id, port.id,
      now(), now(), now()
    from (select *, row_number() over (partition by host_id order by id) as number from services) as service
    join ports as port on port.host_id = service.host_id and port.number = service.number`,
  );
  await client.query("set session_replication_role = origin");
  await client.query("vacuum (analyze)");
}

describe("searches for a string that is part of many service names", () => {
  let loaded: Loaded;

  beforeAll(async () => {
    loaded = await openLoaded(databaseUrl ?? "", load);
  }, 240_000);

  afterAll(() => loaded?.close());

  const search = async (text: string) => {
    const path = `/api/v1/hosts?q=${text}&include_children=false`;
    const recording = await recordCalls(loaded.database, { method: "GET", path, key });
    const { rows } = await readsOf(loaded.client, recording);
    return {
      total: JSON.parse(recording.text).meta.pagination.total_count,
      services: rows.get("services") ?? 0,
    };
  };

  test("find hosts if 10,000 services match", async () => {
    expect((await search("bounded")).total).toBe(most / servicesOfHost);
  });

  test("find no hosts and stop reading if more services match", async () => {
    const { total, services } = await search("commoner");
    expect(total).toBe(0);
    expect(services).toBeGreaterThan(most);
    // Services that do not match are skipped.
    expect(services).toBeLessThan(1.8 * most);
  });

  test("find a host by the complete name of its service", async () => {
    expect((await search("commoner-1")).total).toBe(1);
  });
});
