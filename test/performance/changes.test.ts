import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { longTimeline, weeks, yearOfChanges } from "../bench/changes/year.ts";
import { fill, keysOf } from "../bench/load.ts";
import { networkInventory } from "../bench/network-inventory.ts";
import { idOf, largest, list, namespace } from "../bench/scene.ts";
import { recordCalls } from "../bench/statements.ts";
import { type Loaded, openLoaded } from "./loaded.ts";
import { readsOf } from "./reads.ts";

const databaseUrl = process.env["TEST_DATABASE_URL"];

/**
 * This results in 18,000 versions in the first organization, in addition to those of a host with a
 * long history.
 */
const hosts = 500;

const tables = ["bindings", "hosts", "interfaces", "ip_addresses", "ports", "services", "subnets"];

const [long, longBinding] = [idOf("long host"), idOf("long binding")];
const middle = "2024-05-01T00:00:00.000Z";
const network = idOf("network", 1, 3);
const [week] = weeks;

const answer = z.object({
  data: z.union([
    z.array(z.unknown()),
    z.object({ items: z.array(z.unknown()) }),
    z.object({ buckets: z.array(z.unknown()) }),
  ]),
  meta: z.object({ next_cursor: z.string().optional() }),
});

// Needs a real Postgres: PGlite's plans may be different.
describe("reads of changes, on a real Postgres", () => {
  let loaded: Loaded;

  beforeAll(async () => {
    loaded = await openLoaded(databaseUrl ?? "", async (client) => {
      await migrateDatabase(client);
      await fill(
        [client],
        [
          ...networkInventory({ namespace, hosts, hostsOfSubnet: 100 }, await keysOf(2)),
          ...yearOfChanges(namespace),
        ],
      );
    });
  }, 120_000);

  afterAll(() => loaded?.close());

  /**
   * The number of records in a response, and the number of rows and index entries read from all
   * tables with history.
   */
  async function readingOf(path: string) {
    const recording = await recordCalls(loaded.database, list(path, largest));
    const { data, meta } = answer.parse(JSON.parse(recording.text));
    const { rows, entries, scanned } = await readsOf(loaded.client, recording);
    const sum = (of: ReadonlyMap<string, number>) =>
      tables.reduce((all, table) => all + (of.get(table) ?? 0), 0);
    return {
      returned: (Array.isArray(data) ? data : "items" in data ? data.items : data.buckets).length,
      cursor: meta.next_cursor ?? "",
      rows: sum(rows),
      entries: sum(entries),
      transactions: rows.get("transactions") ?? 0,
      scanned: tables.filter((table) => scanned.includes(table)),
    };
  }

  test("following a cursor without new changes does not read any versions", async () => {
    const { cursor } = await readingOf("changes?cursor=now");
    const reading = await readingOf(`changes?cursor=${cursor}`);
    expect(reading).toMatchObject({ returned: 0, rows: 0, entries: 0, scanned: [] });
    expect(reading.transactions).toBeLessThanOrEqual(1);
  });

  /**
   * A description, a path, the number of records that the request returns or compares, and the
   * maximum number of rows and of index entries read per record.
   */
  test.each([
    ["the first changes", "changes?limit=1000", 1000, 4, 6],
    ["changes in the middle", `changes?limit=1000&since=${middle}`, 1000, 5, 7],
    ["a few changes", `changes?limit=100&since=${middle}`, 100, 5, 8],
    ["changes of one kind", `changes?entity=Service&since=${middle}`, 100, 4, 6],
    // One in three changes is a deletion. Changes on the network are interleaved with changes on
    // other networks.
    ["deletions", `changes?change=deleted&since=${middle}`, 100, 14, 21],
    ["changes on a network", `changes?network_id=${network}&since=${middle}`, 100, 5, 50],
    // The host's bindings at that time are known only through their services, so all bindings of
    // those services are read.
    ["a timeline", `hosts/${long}/timeline`, 100, 24, 25],
    ["a complete timeline", `hosts/${long}/timeline?limit=1000`, 1000, 8, 8],
    ["a binding's timeline", `bindings/${longBinding}/timeline`, 100, 11, 11],
    // Versions are counted before they are compared, and joined as sets.
    ["a page of a diff", `diff?from=${week.from}&to=${week.to}&limit=10`, week.changed, 6, 14],
    ["a diff", `diff?from=${week.from}&to=${week.to}&limit=0`, week.changed, 9, 17],
    ["a diff by host", `diff?from=${week.from}&to=${week.to}&by=host&limit=0`, week.changed, 7, 15],
    // Beginnings and ends are read by index-only scans, counted, and joined to updates.
    [
      "a histogram",
      `changes/histogram?from=${week.from}&to=${week.to}&buckets=500`,
      week.changed,
      0,
      6,
    ],
    [
      "a histogram of a network",
      `changes/histogram?from=${week.from}&to=${week.to}&network_id=${network}`,
      week.changed,
      0,
      6,
    ],
    ["a histogram of a host", `changes/histogram?host_id=${long}`, longTimeline.host, 35, 36],
  ])(
    "%s reads in proportion to the number of changes: %s",
    async (_, path, changed, rowsOfEach, entriesOfEach) => {
      const { rows, entries, scanned } = await readingOf(path);
      expect(scanned).toEqual([]);
      expect({
        rows,
        entries,
        isBound: rows <= changed * rowsOfEach && entries <= changed * entriesOfEach,
      }).toMatchObject({ isBound: true });
    },
  );

  test.each([
    ["of a page", "bindings?limit=1000&include=labels"],
    ["of a page of the past", `bindings?limit=1000&include=labels&at=${middle}`],
    ["of a page of changes", `changes?limit=1000&include=labels&since=${middle}`],
  ])("the labels %s are looked up one by one: %s", async (_, path) => {
    const plain = await readingOf(path.replace("&include=labels", ""));
    const { rows, entries, scanned, returned } = await readingOf(path);
    expect(scanned).toEqual([]);
    expect(returned).toBeGreaterThan(300);
    // A binding refers to a service, a port, an address and a host, and its own label is made of
    // the labels of the first three.
    expect((rows - plain.rows) / returned).toBeLessThanOrEqual(8);
    expect((entries - plain.entries) / returned).toBeLessThanOrEqual(8);
  });

  test("a page in the middle of a timeline reads as much as the first page", async () => {
    const path = `hosts/${long}/timeline?limit=100`;
    const half = await readingOf(`hosts/${long}/timeline?limit=${longTimeline.host / 2}`);
    const [first, later] = [
      await readingOf(path),
      await readingOf(`${path}&cursor=${half.cursor}`),
    ];
    expect(later.returned).toBe(100);
    expect(later.rows).toBeLessThanOrEqual(1.1 * first.rows);
  });
});
