import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { searchResultSchema } from "../../src/inventory/search/model.ts";
import { loadNetwork } from "../bench/load.ts";
import { largest, list, namespace } from "../bench/scene.ts";
import { recordCalls } from "../bench/statements.ts";
import { type Loaded, openLoaded } from "./loaded.ts";
import { readsOf } from "./reads.ts";

const databaseUrl = process.env["TEST_DATABASE_URL"];
const size = { namespace, hosts: 20_000, hostsOfSubnet: 200, oneClosedOf: 10 };

/** The tables that have far more rows than a search may read. */
const largeTables = ["hosts", "ip_addresses", "ports", "services", "bindings"];

const answer = z.object({ data: z.array(searchResultSchema) });

// Needs a real Postgres: reads inside functions are counted only there.
describe("a search of 20,000 hosts", () => {
  let loaded: Loaded;

  beforeAll(async () => {
    loaded = await openLoaded(databaseUrl ?? "", (client) => loadNetwork(client, size));
  }, 300_000);

  afterAll(() => loaded?.close());

  test.each([
    { q: "web-00120", most: 50, first: "web-00120" },
    { q: "10.0.3.7", most: 200, first: "10.0.3.7" },
    { q: "8123", most: 1000, first: "8123/Tcp" },
    { q: "service 3 of 00077", most: 2000, first: "Service 3 of 00077" },
    { q: "camera-00077 443", most: 1000, first: "camera-00077" },
    { q: "absent", most: 50, first: undefined },
    // Words that are in very many records: the bound on a search applies.
    { q: "web", most: 10_000, first: "web-00000" },
    { q: "443", most: 15_000, first: "443/Tcp" },
    { q: "example", most: 10_000, first: expect.stringMatching(/^[a-z]+-\d{5}$/) },
    { q: "custom", most: 10_000, first: expect.stringMatching(/^Service 4 of/) },
    { q: "custom 123", most: 20_000, first: "Service 4 of 00123" },
    { q: "printer 443", most: 40_000, first: expect.stringMatching(/^(printer-|443)/) },
  ])("$q reads few of them, in one call, and no table completely", async ({ q, most, first }) => {
    const path = `search?q=${encodeURIComponent(q)}`;
    const recording = await recordCalls(loaded.database, list(path, largest));
    expect(recording.calls).toHaveLength(1);
    const { data } = answer.parse(JSON.parse(recording.text));
    expect(data[0]?.label).toEqual(first);
    const { rows, scanned } = await readsOf(loaded.client, recording);
    expect(largeTables.filter((table) => scanned.includes(table))).toEqual([]);
    for (const table of largeTables) {
      expect([table, rows.get(table) ?? 0]).toEqual([
        table,
        expect.toSatisfy((read: number) => read <= most),
      ]);
    }
  });
});
