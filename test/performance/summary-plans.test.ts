import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadNetwork } from "../bench/load.ts";
import { largest, list, middle, namespace } from "../bench/scene.ts";
import { asTenant, recordCalls } from "../bench/statements.ts";
import { type Loaded, openLoaded } from "./loaded.ts";
import { planOf } from "./plan.ts";

const databaseUrl = process.env["TEST_DATABASE_URL"];
const size = { namespace, hosts: 2000, hostsOfSubnet: 20 };

/** What a summary reads the records of, and not only their number. */
const told = ["hosts", "services", "ip_addresses", "ports", "subnets"];

describe("a summary on a real Postgres", () => {
  let loaded: Loaded;

  beforeAll(async () => {
    loaded = await openLoaded(databaseUrl ?? "", async (client) => {
      await loadNetwork(client, size);
      await client.query("vacuum (analyze, index_cleanup on)");
    });
  }, 120_000);
  afterAll(() => loaded?.close());

  test.each(["summary", `summary?at=${middle}`])(
    "%s is one call that reads no table from its beginning to its end",
    async (path) => {
      const { calls } = await recordCalls(loaded.database, list(path, largest));
      const [call] = calls;
      expect(calls).toHaveLength(1);
      const [statement, ...more] = call?.asked ?? [];
      // Behind an instant of the past: whether it is still kept.
      expect(more.map(({ query }) => query)).toEqual(
        path.includes("at=") ? [expect.stringContaining("app.require_history")] : [],
      );
      if (!(call && statement)) {
        return;
      }
      const { scans } = await asTenant(loaded.client, call.gate, () =>
        planOf(loaded.client, statement),
      );
      expect(scans.filter(({ isWhole }) => isWhole)).toEqual([]);
      expect(scans.filter(({ type }) => type === "Seq Scan")).toEqual([]);
      // An index alone counts what is only counted. An empty table has no say in it.
      const counted = scans.filter(({ table, read }) => !told.includes(table) && read > 0);
      const [alone, read] = [true, false].map((isAlone) =>
        counted.filter(({ type }) => (type === "Index Only Scan") === isAlone),
      );
      expect(alone).not.toEqual([]);
      // Bindings also tell what is open: read once for all ports and once for all services.
      expect(read?.map(({ table }) => table)).toEqual(["bindings", "bindings"]);
    },
  );
});
