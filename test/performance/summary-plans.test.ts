import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadNetwork } from "../bench/load.ts";
import { largest, list, middle, namespace } from "../bench/scene.ts";
import { asTenant, recordCalls } from "../bench/statements.ts";
import { type Loaded, openLoaded } from "./loaded.ts";
import { planOf } from "./plan.ts";

const databaseUrl = process.env["TEST_DATABASE_URL"];
const size = { namespace, hosts: 2000, hostsOfSubnet: 20 };

/** Tables whose records a summary reads instead of only counting them. */
const readTables = ["hosts", "services", "ip_addresses", "ports", "subnets"];

describe("a summary on a real Postgres", () => {
  let loaded: Loaded;

  beforeAll(async () => {
    loaded = await openLoaded(databaseUrl ?? "", async (client) => {
      await loadNetwork(client, size);
      await client.query("vacuum (analyze, index_cleanup on)");
    });
  }, 120_000);
  afterAll(() => loaded?.close());

  test.each([
    ["summary", "count_deltas"],
    [`summary?at=${middle}`, "bindings"],
  ])("%s is one call without a sequential scan, and counts %s", async (path, countedTable) => {
    const { calls } = await recordCalls(loaded.database, list(path, largest));
    const [call] = calls;
    expect(calls).toHaveLength(1);
    const [statement, ...more] = call?.statements ?? [];
    // With `at`, a second statement checks that the instant is within the kept history.
    expect(more.map(({ query }) => query)).toEqual(
      path.includes("at=") ? [expect.stringContaining("app.require_history")] : [],
    );
    if (!(call && statement)) {
      throw new Error("no statement was recorded");
    }
    const { scans } = await asTenant(loaded.client, call.gate, () =>
      planOf(loaded.client, statement),
    );
    expect(scans.filter(({ isWhole }) => isWhole)).toEqual([]);
    expect(scans.filter(({ type }) => type === "Seq Scan")).toEqual([]);
    // Other tables are counted by index-only scans. Empty tables are ignored.
    const counted = scans.filter(({ table, read }) => !readTables.includes(table) && read > 0);
    const [alone, read] = [true, false].map((isAlone) =>
      counted.filter(({ type }) => (type === "Index Only Scan") === isAlone),
    );
    expect([...new Set(alone?.map(({ table }) => table))]).toEqual([countedTable]);
    // Bindings also determine `is_open`: they are read once for all ports and once for all
    // services.
    expect(read?.map(({ table }) => table)).toEqual(["bindings", "bindings"]);
  });
});
