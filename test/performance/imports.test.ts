import type pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import {
  addOrganization,
  type ImportingOrganization,
  importing,
  ingest,
  loadHosts,
  newHosts,
} from "../bench/growth/imports.ts";
import { keyOf } from "../bench/load.ts";
import { type Loaded, openLoaded } from "./loaded.ts";

const databaseUrl = process.env["TEST_DATABASE_URL"];

const other: ImportingOrganization = {
  id: "00000000-0000-4000-8000-0000000000bb",
  key: keyOf(2),
};

const tables = ["hosts", "ip_addresses", "ports", "interfaces", "services", "bindings", "subnets"];

/** The number of stored hosts, and the number of hosts in an import. */
const [stored, sent] = [3000, 500];

/** Loads the hosts of an inventory so that Postgres' statistics are in a given state. */
const statistics: Record<string, (client: pg.Client) => Promise<void>> = {
  "are complete": async (client) => {
    await loadHosts(client, importing, { from: 0, to: stored });
    await client.query("vacuum (analyze)");
  },
  "are missing": (client) => loadHosts(client, importing, { from: 0, to: stored }),
  "are from empty tables": async (client) => {
    await client.query("analyze");
    await loadHosts(client, importing, { from: 0, to: stored });
  },
  "are only from another organization": async (client) => {
    await loadHosts(client, other, { from: 0, to: stored });
    await client.query("vacuum (analyze)");
    await loadHosts(client, importing, { from: 0, to: stored });
  },
  "are from records without discoveries": async (client) => {
    await loadHosts(client, importing, { from: 0, to: stored });
    await client.query("set session_replication_role = replica");
    for (const table of tables) {
      await client.query(`update ${table} set first_discovery_id = null, last_discovery_id = null`);
    }
    await client.query("reset session_replication_role");
    await client.query("vacuum (full, analyze)");
  },
};

// Needs a real Postgres: PGlite's plans may be different.
describe("an import on a real Postgres", () => {
  let loaded: Loaded;

  afterEach(() => loaded?.close());

  /**
   * The number of inventory rows that the client's transaction has read so far, in addition to
   * earlier reads that have not been reported yet.
   */
  const readSoFar = async () => {
    const { rows } = await loaded.client.query<{ read: number }>(
      `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 as read
       from pg_stat_xact_user_tables where relname = any ($1)`,
      [tables],
    );
    return rows[0]?.read ?? Number.NaN;
  };

  /** Runs an import, and returns the number of inventory rows that it reads. */
  async function readBy(first: number): Promise<number> {
    const { client } = loaded;
    await client.query("begin");
    const before = await readSoFar();
    await ingest(client, importing, newHosts(first, sent));
    await client.query("reset role");
    const read = (await readSoFar()) - before;
    await client.query("commit");
    return read;
  }

  test.each(Object.entries(statistics))(
    "reads at most a constant multiple of its rows if the statistics %s",
    async (_, load) => {
      loaded = await openLoaded(databaseUrl ?? "", async (client) => {
        await migrateDatabase(client);
        for (const table of tables) {
          await client.query(`alter table ${table} set (autovacuum_enabled = false)`);
        }
        await addOrganization(client, importing);
        await addOrganization(client, other);
        await load(client);
      });
      // Each host has eight rows. A bad plan reads all stored rows for each of them.
      const most = 8 * sent * 100;
      expect(await readBy(stored), "new hosts").toBeLessThan(most);
      expect(await readBy(stored), "the same again").toBeLessThan(most);
      expect(await readBy(0), "stored hosts").toBeLessThan(most);
    },
    60_000,
  );
});
