import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { LocalDatabase } from "../../drizzle/local/server.ts";
import { loadDatabase } from "../bench/load.ts";
import { largest, list, middle, namespace, operations, ordinary } from "../bench/scene.ts";
import { asTenant, recordCalls } from "../bench/statements.ts";
import { openLoaded } from "./loaded.ts";
import { makeManyRecords } from "./many-records.ts";
import { type Plan, planOf } from "./plan.ts";
import { readsOf } from "./reads.ts";

const databaseUrl = process.env["TEST_DATABASE_URL"];
const size = { namespace, organizations: 10, bindings: 60_000, history: true, credentials: 4000 };

/**
 * Lists of bindings in the largest organization, which has 30,000 versions of bindings, 10,000 of
 * them live.
 */
const lists = [
  "bindings",
  "bindings?limit=1000",
  "bindings?limit=1000&offset=9000",
  `bindings?limit=1000&at=${middle}`,
  `bindings?limit=1000&offset=9000&at=${middle}`,
  "bindings?limit=1000&at=2024-02-01T00:00:00.000Z",
];

/** Lists of records, with their tables. */
const collections = [
  ["tags", "tags"],
  ["networks", "networks"],
  ["auth/keys", "user_api_keys"],
  ["daemons", "daemons"],
  ["credentials", "credentials"],
] as const;

/** List filters by id, with the table and column that contain the id. */
const recordFilters = [
  ["networks", "networks", "tag_ids", "network_tags", "tag_id"],
  ["networks", "networks", "ids", "networks", "id"],
  ["tags", "tags", "ids", "tags", "id"],
  ["daemons", "daemons", "tag_ids", "daemon_tags", "tag_id"],
  ["daemons", "daemons", "network_id", "daemons", "network_id"],
  ["daemons", "daemons", "ids", "daemons", "id"],
] as const;

/** Filters by the most common value of a column. */
const filters = ["network_id", "service_id", "port_id", "ip_address_id"];

// Needs a real Postgres: PGlite's plans may be different.
describe("plans on a real Postgres (TEST_DATABASE_URL)", () => {
  let database: LocalDatabase;
  let client: pg.Client;
  let close = async () => {};

  beforeAll(async () => {
    const loaded = await openLoaded(databaseUrl ?? "", async (owner) => {
      await loadDatabase(owner, size);
      await makeManyRecords(owner);
    });
    ({ database, client, close } = loaded);
  }, 120_000);

  afterAll(() => close());

  /** The plans of all statements in a request, behind the gate and under the tenant's role. */
  async function plansOf(request: Parameters<typeof recordCalls>[1]): Promise<Plan[]> {
    const plans: Plan[] = [];
    const { calls } = await recordCalls(database, request);
    for (const { gate, statements } of calls) {
      await asTenant(client, gate, async () => {
        for (const statement of statements) {
          plans.push(await planOf(client, statement));
        }
      });
    }
    return plans;
  }

  /** Reads the number of records that match a list's filters. */
  async function totalOf(request: Parameters<typeof recordCalls>[1]): Promise<number> {
    const { text } = await recordCalls(database, request);
    const answer: { meta: { pagination: { total_count: number } } } = JSON.parse(text);
    return answer.meta.pagination.total_count;
  }

  const scansOf = (plans: readonly Plan[]) => plans.flatMap(({ scans }) => scans);

  async function mostCommon(column: string): Promise<string> {
    const { rows } = await client.query<{ id: string }>(
      `select ${column}::text as id from bindings where valid_to is null
      and organization_id = (select id from organizations order by name = $1 || ' 1' desc limit 1)
      group by 1 order by count(*) desc limit 1`,
      [namespace],
    );
    return rows[0]?.id ?? "";
  }

  test.each(lists)(
    "%s counts with an index-only scan and reads at most twice what it returns",
    async (path) => {
      const plans = await plansOf(list(path, largest));
      const offset = Number(/offset=(\d+)/.exec(path)?.[1] ?? 0);
      const [page] = plans.filter(({ scans }) => scans.length > 0);
      const scans = scansOf(plans);
      const counted = scans.filter(({ isCount, table }) => isCount && table !== "transactions");
      expect(counted.length).toBeGreaterThan(0);
      for (const scan of counted) {
        const table = path.includes("at=") ? "bindings" : "count_deltas";
        expect(scan).toMatchObject({ type: "Index Only Scan", table, heapFetches: 0 });
      }
      for (const scan of scans.filter(({ isCount }) => !isCount)) {
        // Rows that the offset skips are read only from an index.
        const skipped = scan.type === "Index Only Scan" ? offset : 0;
        expect(scan.read).toBeLessThanOrEqual(2 * ((page?.returned ?? 0) + skipped));
      }
    },
  );

  test.each(lists)("the count of %s reads at most twice what it counts", async (path) => {
    const request = list(path, largest);
    const counts = scansOf(await plansOf(request)).filter(({ isCount }) => isCount);
    const read = counts.reduce((sum, scan) => sum + scan.read, 0);
    expect(read).toBeLessThanOrEqual(2 * (await totalOf(request)));
  });

  test("the count of live bindings reads one row for each network", async () => {
    const counts = scansOf(await plansOf(list("bindings", largest))).filter(
      ({ isCount }) => isCount,
    );
    const { rows } = await client.query<{ networks: number }>(
      `select count(distinct network_id)::int as networks from bindings
      where valid_to is null and organization_id = (
        select id from organizations order by name = $1 || ' 1' desc limit 1)`,
      [namespace],
    );
    expect(counts).toMatchObject([
      { table: "count_deltas", isWhole: false, read: rows[0]?.networks },
    ]);
  });

  describe.each(filters)("filtered by %s", (column) => {
    test.each(["", `&at=${middle}`])("bindings%s use an index", async (at) => {
      const path = `bindings?${column}=${await mostCommon(column)}${at}`;
      const request = list(path, largest);
      const total = await totalOf(request);
      const scans = scansOf(await plansOf(request));
      expect(scans.length).toBeGreaterThan(0);
      for (const scan of scans) {
        expect(scan.read).toBeLessThanOrEqual(2 * total);
      }
    });
  });

  test("every chunk of a complete list reads at most twice what it returns", async () => {
    const plans = await plansOf(list("bindings?limit=0", largest));
    expect(plans.length).toBeGreaterThan(2);
    for (const { scans, returned } of plans) {
      for (const scan of scans.filter(({ isCount }) => !isCount)) {
        expect(scan.read).toBeLessThanOrEqual(2 * returned);
      }
    }
  });

  /** The page that follows the page at a path. */
  async function nextOf(path: string, key: typeof largest) {
    const { text } = await recordCalls(database, list(path, key));
    const page: { meta: { pagination: { next_cursor: string } } } = JSON.parse(text);
    const { next_cursor } = page.meta.pagination;
    return list(`${path.replace(/&offset=\d+/, "")}&cursor=${next_cursor}`, key);
  }

  test.each([
    "bindings?limit=100",
    "bindings?limit=100&offset=9000",
    `bindings?limit=100&offset=6000&at=${middle}`,
  ])(
    "a request for the page after %s reads at most four times as many rows as it returns",
    async (path) => {
      const plans = await plansOf(await nextOf(path, largest));
      expect(plans.some(({ returned }) => returned === 101)).toBe(true);
      for (const { table, read } of scansOf(plans)) {
        expect({ table, isFew: read <= 4 * 101, read }).toMatchObject({ isFew: true });
      }
    },
  );

  test("the page after a page of bindings does not read all history for closed versions", async () => {
    const scans = scansOf(await plansOf(await nextOf("bindings?limit=100", largest)));
    const ofHistory = scans.filter(({ index }) => index === "bindings_history_index");
    // The live versions.
    expect(ofHistory).toMatchObject([{ read: 101 }]);
  });

  test.each([
    { minutes: 5, isStored: true },
    { minutes: 5.1, isStored: false },
  ])(
    "the page after a page from $minutes minutes ago is a stored statement: $isStored",
    async ({ minutes, isStored }) => {
      const begunAt = Date.now();
      vi.useFakeTimers({ toFake: ["Date"], now: begunAt });
      try {
        const next = await nextOf("bindings?limit=100", largest);
        vi.setSystemTime(begunAt + minutes * 60_000);
        const { calls } = await recordCalls(database, next);
        const [page] = calls.flatMap(({ statements }) => statements);
        expect(page?.query.startsWith("select * from app.list_bindings_")).toBe(isStored);
      } finally {
        vi.useRealTimers();
      }
    },
  );

  test.each([
    ["bindings?limit=101", true],
    ["bindings?limit=102", false],
    ["bindings?offset=1", false],
    ["bindings?order_direction=desc", false],
    [`bindings?at=${middle}`, false],
    ["credentials?limit=101", true],
    ["credentials?limit=102", false],
    ["credentials?type=SnmpV2c", false],
  ])("the first page of %s is a stored statement: %s", async (path, isStored) => {
    const { calls } = await recordCalls(database, list(path, largest));
    const [page] = calls.flatMap(({ statements }) => statements);
    expect(page?.query.startsWith("select * from app.list_")).toBe(isStored);
  });

  test.each(collections)(
    "the page after a page of %s reads at most four times what it returns",
    async (path) => {
      const plans = await plansOf(await nextOf(`${path}?limit=20&offset=20`, ordinary));
      for (const { read } of scansOf(plans)) {
        expect(read).toBeLessThanOrEqual(4 * 21);
      }
    },
  );

  test("a page of credentials reads its children by their keys", async () => {
    const scans = scansOf(await plansOf(list("credentials?limit=100", largest)));
    for (const scan of scans.filter(({ table }) => table.startsWith("credential_"))) {
      expect(scan.read).toBeLessThanOrEqual(100 * 4);
    }
  });

  test.each(collections)(
    "a page of %s reads at most twice what it returns",
    async (path, table) => {
      const plans = await plansOf(list(path, ordinary));
      expect(plans.at(-1)?.returned).toBe(50);
      const scans = scansOf(plans).filter((scan) => !scan.isCount && scan.table === table);
      expect(scans).not.toEqual([]);
      for (const scan of scans) {
        expect(scan.read).toBeLessThanOrEqual(2 * 50);
      }
    },
  );

  test.each(collections)(
    "every chunk of all %s except the first reads at most twice what it returns",
    async (path, table) => {
      const [, ...chunks] = await plansOf(list(`${path}?limit=0`, largest));
      expect(chunks.length).toBeGreaterThan(0);
      for (const { scans, returned } of chunks) {
        const ofTable = scans.filter((scan) => scan.table === table);
        expect(ofTable).not.toEqual([]);
        for (const scan of ofTable) {
          expect(scan.read).toBeLessThanOrEqual(2 * returned);
        }
      }
    },
  );

  test.each(recordFilters)(
    "%s uses an index: %s filtered by %s",
    async (path, table, filter, of, column) => {
      const { rows } = await client.query<{ id: string }>(
        `select ${column}::text as id from ${of} where organization_id = (
        select id from organizations where name = $1 || ' 2') order by 1 limit 1`,
        [namespace],
      );
      const plans = await plansOf(list(`${path}?${filter}=${rows[0]?.id}`, ordinary));
      const returned = plans.at(-1)?.returned ?? 0;
      const scans = scansOf(plans).filter((scan) => scan.table === table);
      expect(scans).not.toEqual([]);
      for (const scan of scans) {
        expect(scan.read).toBeLessThanOrEqual(2 * returned);
      }
    },
  );

  test.each([
    ["", "true"],
    ["&entity=Tag", "entity = 'Tag'"],
    ["&entity_id=", "entity_id"],
    ["&actor_id=", "actor_id"],
  ])("a page of the audit log%s does not read more than it returns", async (filter, column) => {
    const { rows } = await client.query<{ id: string }>(
      `select (${column})::text as id from audit_entries where organization_id = (
      select id from organizations where name = $1 || ' 2') and actor_id is not null
      order by at limit 1`,
      [namespace],
    );
    const value = filter.endsWith("=") ? rows[0]?.id : "";
    const plans = await plansOf(list(`audit?limit=10${filter}${value}`, ordinary));
    const scans = scansOf(plans).filter(({ table }) => table === "audit_entries");
    expect(scans.length).toBeGreaterThan(0);
    for (const scan of scans) {
      expect(scan.read).toBeLessThanOrEqual(11);
    }
  });

  test("the gate disables parallel workers, JIT and sequential scans", async () => {
    const { calls } = await recordCalls(database, list("bindings", largest));
    for (const { gate } of calls) {
      const settings = await asTenant(client, gate, async () => {
        const { rows } = await client.query<{ name: string; setting: string }>(`
          select name, setting from pg_settings
          where name in ('max_parallel_workers_per_gather', 'jit', 'enable_seqscan') order by name`);
        return rows.map(({ name, setting }) => `${name} = ${setting}`);
      });
      expect(settings).toEqual([
        "enable_seqscan = off",
        "jit = off",
        "max_parallel_workers_per_gather = 0",
      ]);
    }
    expect(calls).toHaveLength(1);
  });

  test("a tag is created without reading the other tags", async () => {
    const request = {
      method: "POST",
      path: "/api/v1/tags",
      key: ordinary,
      json: { name: "Not yet a tag" },
    } as const;
    const recording = await recordCalls(database, request);
    expect(recording.text).toContain(request.json.name);
    await client.query("delete from tags where name = $1", [request.json.name]);
    const { rows } = await readsOf(client, recording);
    expect(rows.get("tags")).toBeGreaterThan(0);
    expect(rows.get("tags")).toBeLessThan(10);
  });

  test.each(operations())("$name does not read a whole table", async ({ request }) => {
    const scans = scansOf(await plansOf(request));
    expect(scans.length).toBeGreaterThan(0);
    expect(scans.filter(({ isWhole }) => isWhole)).toEqual([]);
  });
});
