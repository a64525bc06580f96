import { format } from "sql-formatter";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seedDemo } from "../../drizzle/demo/seed.ts";
import demo from "../../drizzle/demo.json" with { type: "json" };
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { list } from "../bench/scene.ts";
import { asTenant, recordCalls } from "../bench/statements.ts";
import { type Loaded, openLoaded } from "./loaded.ts";
import { storedTextOf } from "./plan.ts";

/**
 * The lists with the most expensive statements, by the name of the file that contains their SQL.
 */
const lists = {
  credentials: "credentials",
  hosts: "hosts",
  "hosts-without-children": "hosts?include_children=false",
  "hosts-searched": "hosts?q=web",
  services: "services",
  bindings: "bindings",
  "bindings-of-the-past": "bindings?at=2025-06-01T00:00:00.000Z",
  changes: "changes?since=2025-03-01T00:00:00.000Z",
  histogram: "changes/histogram?from=2025-03-01T00:00:00.000Z&to=2025-04-01T00:00:00.000Z",
  timeline: "hosts/e1e74882-b978-405e-89f9-922e1a30e63b/timeline",
  diff: "diff?from=2025-03-01T00:00:00.000Z&to=2025-04-01T00:00:00.000Z",
} as const;

let loaded: Loaded;

beforeAll(async () => {
  loaded = await openLoaded(process.env["TEST_DATABASE_URL"] ?? "", async (client) => {
    await migrateDatabase(client);
    await seedDemo(client);
  });
}, 60_000);
afterAll(() => loaded.close());

const network_id = demo.networks[0]?.id;

test.each([
  [
    "hosts",
    { name: "New", network_id, tags: [], ports: [{ number: 22, protocol: "Tcp" }] },
    ["hosts", "ports"],
  ],
  ["networks", { name: "New", tags: [] }, ["networks"]],
  ["subnets", { name: "New", network_id, cidr: "10.250.0.0/24", tags: [] }, ["subnets"]],
  [
    "services",
    {
      name: "New",
      host_id: "e1e74882-b978-405e-89f9-922e1a30e63b",
      service_definition: "SSH",
      bindings: [],
    },
    ["services"],
  ],
])(
  "creating a record in %s sends no insert for lists that it does not have",
  async (path, json, inserted) => {
    const request = {
      method: "POST",
      path: `/api/v1/${path}`,
      key: demo.keys.owner,
      json,
    } as const;
    const { calls } = await recordCalls(loaded.database, request);
    const written = calls.flatMap(({ statements }) =>
      statements.flatMap(({ query }) => /insert into "(\w+)"/.exec(query)?.[1] ?? []),
    );
    expect(written).toEqual(inserted);
  },
);

// Each statement costs two round trips between Neon's proxy and Postgres.
test("operations send few statements, including the gate", async () => {
  const key = demo.keys.owner;
  const host = {
    name: "Counted",
    network_id: demo.networks[0]?.id,
    tags: [],
    ports: Array.from({ length: 20 }, (_, at) => ({ number: at + 1, protocol: "Tcp" })),
  };
  const counts: Record<string, number[]> = {};
  const send = async (method: "GET" | "POST" | "PUT" | "DELETE", path: string, json?: object) => {
    const { calls, text } = await recordCalls(loaded.database, {
      ...{ method, path: `/api/v1/${path}`, key },
      ...(json && { json }),
    });
    counts[`${method} ${path.replace(/[\da-f-]{36}/, "ID")}`] = calls.map(
      ({ statements }) => statements.length + 1,
    );
    const { data }: { data: { id: string } } = JSON.parse(text);
    return data.id;
  };
  const hostId = await send("POST", "hosts", host);
  const { ports: _, ...attributes } = host;
  await send("PUT", `hosts/${hostId}`, { ...attributes, name: "Renamed" });
  await send("DELETE", `hosts/${hostId}`);
  const tag = { name: "Counted", description: null, color: "Blue" };
  const tagId = await send("POST", "tags", tag);
  await send("PUT", `tags/${tagId}`, { ...tag, name: "Renamed" });
  await send("DELETE", `tags/${tagId}`);
  await send("GET", "credentials");
  await send("GET", "bindings");
  expect(counts).toEqual({
    "POST hosts": [4],
    "PUT hosts/ID": [3],
    "DELETE hosts/ID": [3],
    "POST tags": [2],
    "PUT tags/ID": [2],
    "DELETE tags/ID": [4],
    "GET credentials": [2],
    "GET bindings": [2],
  });
});

test("retrying the connection of a daemon that is due changes no index", async () => {
  const { calls } = await recordCalls(loaded.database, {
    method: "POST",
    path: `/api/v1/daemons/${demo.absent_daemon.id}/retry-connection`,
    key: demo.keys.owner,
  });
  const counts: unknown[] = [];
  for (const { gate, statements } of calls) {
    await asTenant(loaded.client, gate, async () => {
      for (const { query, params } of statements) {
        await loaded.client.query(query, params);
      }
      const { rows } = await loaded.client.query(`
        select pg_stat_get_xact_tuples_updated(oid)::int as updated,
          pg_stat_get_xact_tuples_hot_updated(oid)::int as hot
        from pg_class where oid = 'daemons'::regclass`);
      counts.push(...rows);
    });
  }
  expect(counts).toEqual([{ updated: 1, hot: 1 }]);
});

test.each(Object.entries(lists))("%s runs the statements in its file", async (name, path) => {
  const { calls } = await recordCalls(loaded.database, list(path, demo.keys.viewer));
  const statements = calls.flatMap((call) =>
    call.statements.map(({ query }) => storedTextOf(query)),
  );
  const text = statements.map(
    (query) => `${format(query, { language: "postgresql", expressionWidth: 110 })};\n`,
  );
  await expect(text.join("\n")).toMatchFileSnapshot(`statements/${name}.sql`);
});
