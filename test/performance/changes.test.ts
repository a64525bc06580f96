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

/** 18,000 versions of the first organization, beside those of a host that has many. */
const hosts = 500;

const tables = ["bindings", "hosts", "interfaces", "ip_addresses", "ports", "services", "subnets"];

const [long, longBinding] = [idOf("long host"), idOf("long binding")];
const middle = "2024-05-01T00:00:00.000Z";
const network = idOf("network", 1, 3);
const [week] = weeks;

const answer = z.object({
  data: z.union([z.array(z.unknown()), z.object({ items: z.array(z.unknown()) })]),
  meta: z.object({ next_cursor: z.string().optional() }),
});

// PGlite plans like Postgres, but nobody promises that: reads are held against the real one alone.
describe("reads of what changed, on a real Postgres", () => {
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

  /** What a request shows, and what it reads of all tables with history: rows, and entries of indexes. */
  async function lookAt(path: string) {
    const recording = await recordCalls(loaded.database, list(path, largest));
    const { data, meta } = answer.parse(JSON.parse(recording.text));
    const { rows, entries, scanned } = await readsOf(loaded.client, recording);
    const sum = (of: ReadonlyMap<string, number>) =>
      tables.reduce((all, table) => all + (of.get(table) ?? 0), 0);
    return {
      shown: (Array.isArray(data) ? data : data.items).length,
      cursor: meta.next_cursor ?? "",
      rows: sum(rows),
      entries: sum(entries),
      transactions: rows.get("transactions") ?? 0,
      scanned: tables.filter((table) => scanned.includes(table)),
    };
  }

  test("a cursor behind which nothing is new reads no version", async () => {
    const { cursor } = await lookAt("changes?cursor=now");
    const look = await lookAt(`changes?cursor=${cursor}`);
    expect(look).toMatchObject({ shown: 0, rows: 0, entries: 0, scanned: [] });
    expect(look.transactions).toBeLessThanOrEqual(1);
  });

  /** What is asked, how much it shows or compares, and of each how many rows and entries of indexes it may read. */
  test.each([
    ["the first changes", "changes?limit=1000", 1000, 4, 6],
    ["changes in the middle", `changes?limit=1000&since=${middle}`, 1000, 4, 6],
    ["a few changes", `changes?limit=100&since=${middle}`, 100, 4, 8],
    ["changes of a kind", `changes?entity=Service&since=${middle}`, 100, 3, 5],
    // One in three is a deletion; those of the network lie behind those of others.
    ["deletions", `changes?change=deleted&since=${middle}`, 100, 12, 20],
    ["changes of a network", `changes?network_id=${network}&since=${middle}`, 100, 4, 50],
    // Only their services tell which bindings were on the host then: all of theirs are read.
    ["a timeline", `hosts/${long}/timeline`, 100, 24, 25],
    ["a timeline as a whole", `hosts/${long}/timeline?limit=1000`, 1000, 7, 7],
    ["the timeline of a binding", `bindings/${longBinding}/timeline`, 100, 10, 10],
    // Versions are counted before they are compared, and joined as sets.
    ["a page of a diff", `diff?from=${week.from}&to=${week.to}&limit=10`, week.changed, 6, 14],
    ["a diff", `diff?from=${week.from}&to=${week.to}&limit=0`, week.changed, 9, 17],
  ])("%s reads as much as changed: %s", async (_, path, found, rowsOfEach, entriesOfEach) => {
    const { rows, entries, scanned } = await lookAt(path);
    expect(scanned).toEqual([]);
    expect({
      rows,
      entries,
      isBound: rows <= found * rowsOfEach && entries <= found * entriesOfEach,
    }).toMatchObject({ isBound: true });
  });

  test("a page in the middle of a timeline reads as much as the first one", async () => {
    const path = `hosts/${long}/timeline?limit=100`;
    const half = await lookAt(`hosts/${long}/timeline?limit=${longTimeline.host / 2}`);
    const [first, later] = [await lookAt(path), await lookAt(`${path}&cursor=${half.cursor}`)];
    expect(later.shown).toBe(100);
    expect(later.rows).toBeLessThanOrEqual(1.1 * first.rows);
  });
});
