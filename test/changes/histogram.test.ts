import { expect, test } from "vitest";
import { invalidAt, seen } from "../helpers/answers.ts";
import { passedInstant } from "../helpers/binding-versions.ts";
import { sql } from "../helpers/database.ts";
import { shifted } from "../helpers/inventory.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";
import { followChanges, openChanges } from "./helpers.ts";
import { bucketsOf, countOf, histogramAnswer, histogramOf, pathOf, sumOf } from "./histograms.ts";

test("a histogram with twice as many buckets divides each bucket into two", async () => {
  const { get, create, remove, follow } = await openChanges();
  for (let nth = 0; nth < 8; nth++) {
    const { id } = await create("hosts", { name: `host ${nth}` });
    await remove("hosts", id);
  }
  const changes = await follow();
  const from = changes[0]?.at ?? "";
  const duration = Date.parse(changes.at(-1)?.at ?? "") - Date.parse(from);
  // With 16 buckets, each bucket's interval is exactly half as long as with 8.
  const to = shifted(from, Math.ceil(duration / 16) * 16 - 16 * (duration % 16 === 0 ? 0 : 1));
  const [coarse, fine] = [
    await histogramOf(get, { from, to, buckets: "8" }),
    await histogramOf(get, { from, to, buckets: "16" }),
  ];
  expect(coarse.interval_ms).toBe(2 * fine.interval_ms);
  expect(sumOf(fine)).toBe(changes.filter(({ at }) => at > from && at <= to).length);
  for (const bucket of coarse.buckets) {
    const end = shifted(bucket.at, coarse.interval_ms);
    const halves = fine.buckets.filter(({ at }) => at >= bucket.at && at < end);
    expect(halves.length).toBeGreaterThan(0);
    expect(halves.reduce((sum, half) => sum + countOf(half), 0)).toBe(countOf(bucket));
    expect([halves[0]?.first_at, halves.at(-1)?.last_at]).toEqual([
      bucket.first_at,
      bucket.last_at,
    ]);
  }
});

test("an update counts as changed, and a record that is created again counts as begun", async () => {
  const { host, create, replace, remove, get } = await openChanges();
  const from = await passedInstant();
  const port = { host_id: host.id, number: 22, protocol: "Tcp" };
  const { id } = await create("ports", port);
  await replace("ports", id, { ...port, number: 23 });
  await replace("ports", id, port);
  await remove("ports", id);
  await create("ports", port);
  const { buckets } = await histogramOf(get, { from, buckets: "1" });
  expect(buckets).toMatchObject([{ begun: 2, changed: 2, ended: 1, transactions: 5 }]);
});

test("without from, a histogram starts directly before the first change that matches", async () => {
  const { host, create, follow, get, organization } = await openChanges();
  await create("ports", { host_id: host.id, number: 22, protocol: "Tcp" });
  const all = await follow();
  const ofPorts = all.filter(({ entity, host_id }) => entity === "Port" && host_id === host.id);
  const startOf = (changes: typeof all) => shifted(changes[0]?.at ?? "", -1);
  const whole = await histogramOf(get);
  expect(whole.from).toBe(startOf(all));
  expect(sumOf(whole)).toBe(all.length);
  const ports = await histogramOf(get, { host_id: host.id, entity: "Port" });
  expect(ports.from).toBe(startOf(ofPorts));
  expect(ports.buckets).toMatchObject([{ begun: 1, transactions: 1 }]);
  const [{ created_at } = {}] = await sql`
    select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
    from organizations where id = ${organization.id}`;
  expect(await histogramOf(get, { entity: "Interface" })).toMatchObject({
    from: created_at,
    buckets: [],
  });
  expect(await histogramOf(get, { entity: "Subnet", host_id: host.id })).toMatchObject({
    buckets: [],
  });
});

test("an interval of zero length has one empty bucket, a millisecond long", async () => {
  const { get } = await openChanges();
  const at = await passedInstant();
  expect(await histogramOf(get, { from: at, to: at })).toEqual({
    from: at,
    to: at,
    interval_ms: 1,
    is_estimate: false,
    buckets: [],
  });
  // This instant is in the future, so the interval is empty.
  const future = shifted(at, 3_600_000);
  expect(await histogramOf(get, { from: future })).toMatchObject({ from: future, to: future });
});

test("the longest interval and the largest number of buckets are accepted", async () => {
  const { get, follow } = await openChanges();
  const all = await follow();
  for (const buckets of ["1", "500"]) {
    const histogram = await histogramOf(get, { from: "0001-01-01T00:00:00.000Z", buckets });
    expect(sumOf(histogram)).toBe(all.length);
    expect(histogram.buckets).toEqual(bucketsOf(all, histogram));
  }
});

test.each([
  { query: "buckets=0", path: "query.buckets" },
  { query: "buckets=501", path: "query.buckets" },
  { query: "from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", path: "query.to" },
  {
    query: "network_id=9f0c1f7a-2f6c-4c5e-9a43-0f2f6d9e5b11&".repeat(351),
    path: "query.network_id",
  },
])("rejects $path out of its bounds", async ({ query, path }) => {
  const { get } = await openChanges();
  expect(seen(await get(`changes/histogram?${query}`))).toEqual(invalidAt(path));
});

test("network_id can be repeated, and another network's changes are not counted", async () => {
  const { get, network_id, organization, follow } = await openChanges();
  const other = organization.networks[0].id;
  const all = await follow();
  const sumFor = async (...networks: string[]) => {
    const answer = await get(pathOf(networks.map((id) => ["network_id", id])));
    return sumOf(histogramAnswer.parse(answer.body).data);
  };
  const countOn = (id: string) => all.filter((change) => change.network_id === id).length;
  expect(await sumFor(network_id)).toBe(countOn(network_id));
  expect(await sumFor(network_id, other)).toBe(countOn(network_id) + countOn(other));
  expect(countOn(other)).toBeGreaterThan(0);
});

test("a key limited to specific networks counts and dates only the changes that it can see", async () => {
  const { api, network_id, organization } = await openChanges();
  const key = await mintKey(organization.id, { role: "Viewer" }, [network_id]);
  const get = (path: string) => api.send("GET", `/api/v1/${path}`, { key });
  const { changes } = await followChanges(get);
  const histogram = await histogramOf(get);
  expect(histogram.from).toBe(shifted(changes[0]?.at ?? "", -1));
  expect(histogram.buckets).toEqual(bucketsOf(changes, histogram));
  const none = await mintOrganization();
  const stranger = (path: string) => api.send("GET", `/api/v1/${path}`, { key: none.keys.viewer });
  expect(await histogramOf(stranger, { network_id })).toMatchObject({ buckets: [] });
});

test("a histogram up to now keeps its weak entity tag until something changes", async () => {
  const { create, send } = await openChanges();
  const ask = (tag?: string) =>
    send(
      "GET",
      // Each bucket is longer than this test.
      "changes/histogram?from=2025-01-01T00:00:00Z&buckets=10",
      undefined,
      tag === undefined ? {} : { "If-None-Match": tag },
    );
  await passedInstant();
  const first = await ask();
  const tag = first.headers.get("etag") ?? "";
  expect(tag).toMatch(/^W\/"[\da-f]{64}"$/);
  await passedInstant();
  expect(await ask(tag)).toMatchObject({ status: 304, text: "" });
  const second = await ask();
  expect(second.headers.get("etag")).toBe(tag);
  expect(second.text).not.toBe(first.text);
  await create("hosts", { name: "new" });
  await passedInstant();
  const third = await ask(tag);
  expect(third).toMatchObject({ status: 200 });
  expect(third.headers.get("etag")).not.toBe(tag);
});

test("a histogram up to now gets another entity tag when another bucket passes without changes", async () => {
  const { follow, send } = await openChanges();
  // Buckets of about 20 ms.
  const from = shifted((await follow()).at(-1)?.at ?? "", -10_000);
  const path = `changes/histogram?from=${from}&buckets=500`;
  const first = await send("GET", path);
  expect(first).toMatchObject({ status: 200 });
  const tag = first.headers.get("etag") ?? "";
  await new Promise((resolve) => setTimeout(resolve, 300));
  const second = await send("GET", path, undefined, { "If-None-Match": tag });
  expect(second).toMatchObject({ status: 200 });
  expect(second.headers.get("etag")).not.toBe(tag);
});

test("a histogram of the past keeps its entity tag, and a request with that tag returns 304", async () => {
  const { create, send } = await openChanges();
  const to = await passedInstant();
  const ask = (buckets: number, tag?: string) =>
    send(
      "GET",
      `changes/histogram?from=2025-01-01T00:00:00Z&to=${to}&buckets=${buckets}`,
      undefined,
      tag === undefined ? {} : { "If-None-Match": tag },
    );
  const first = await ask(10);
  const tag = first.headers.get("etag") ?? "";
  expect(tag).toMatch(/^"[\da-f]{64}"$/);
  expect(first.headers.get("cache-control")).toBe("private, no-cache");
  await create("hosts", { name: "later" });
  expect(await ask(10, tag)).toMatchObject({ status: 304, text: "" });
  expect((await ask(10, tag)).headers.get("etag")).toBe(tag);
  const other = await ask(11, tag);
  expect(other).toMatchObject({ status: 200 });
  expect(other.headers.get("etag")).not.toBe(tag);
  expect(await ask(11, "invalid")).toMatchObject({ status: 400 });
});
