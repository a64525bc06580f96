import { expect, inject, test } from "vitest";
import * as z from "zod";
import { diffSchema } from "../../src/changes/model.ts";
import { changePage, followChanges, pageOfChanges } from "../changes/helpers.ts";
import { histogramOf, sumOf } from "../changes/histograms.ts";
import { historyOf } from "../changes/history.ts";
import { keyOf } from "../changes/history-query.ts";
import { invalidAt, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { enter, sql } from "../helpers/database.ts";
import { openInventory } from "../helpers/inventory.ts";
import { mintKey } from "../helpers/organization.ts";
import { hold } from "./held.ts";
import { pause } from "./writers.ts";

/** How long a transaction is held while readers repeat their requests: `RACE_SECONDS`. */
const heldMs = Math.max(100, 1000 * inject("raceSeconds"));

const timeout = 30_000 + 2 * heldMs;

/**
 * Creates an inventory, and returns functions that change it, read it and hold a transaction open.
 */
async function openScene() {
  const inventory = await openInventory();
  const { organization, network_id, send } = inventory;
  const get = (path: string) => send("GET", path);
  const insertHost = (name: string) => sql`
    insert into hosts (organization_id, network_id, name)
    values (${organization.id}, ${network_id}, ${name})`;
  return {
    ...inventory,
    get,
    /** Holds a transaction that has inserted one host and inserts another one when it continues. */
    holdHosts: (first: string, second: string) =>
      hold([enter(organization.keys.member), insertHost(first)], [insertHost(second)]),
    insertHost,
    /** Returns the cursor for the changes from now on. */
    now: async () => (await pageOfChanges(get, { cursor: "now" })).meta.next_cursor,
  };
}

const labelsOf = (changes: { label: string }[]) => changes.map(({ label }) => label);

/** Returns the current number of changes in an organization's history. */
const historyLength = async (id: string) => (await historyOf(id)).length;

test("a long transaction delays later changes only in its own organization, and none are lost", {
  timeout,
}, async () => {
  const { organization, create, get, holdHosts, now } = await openScene();
  const other = await openScene();
  const [cursor, cursorOfOther] = [await now(), await other.now()];
  const before = await historyLength(organization.id);
  const held = await holdHosts("first", "second");
  await create("hosts", { name: "later" });
  await other.create("hosts", { name: "other" });
  const endsAt = Date.now() + heldMs;
  while (Date.now() < endsAt) {
    expect(await pageOfChanges(get, { cursor })).toMatchObject({
      data: [],
      meta: { has_more: false },
    });
    await pause(200);
  }
  const { changes: ofOther } = await followChanges(other.get, { cursor: cursorOfOther });
  expect(labelsOf(ofOther)).toEqual(["other"]);
  await held.commit();
  await create("hosts", { name: "last" });
  const { changes } = await followChanges(get, { cursor });
  const [first, second, ...later] = changes;
  expect(labelsOf([first, second].flatMap((one) => one ?? [])).sort()).toEqual(["first", "second"]);
  expect(second?.at).toBe(first?.at);
  expect(labelsOf(later)).toEqual(["later", "last"]);
  expect(changes.map(keyOf)).toEqual((await historyOf(organization.id)).slice(before));
});

test("a list that ends at an instant is complete only once any transaction that began before that instant has ended", {
  timeout,
}, async () => {
  const { create, get, holdHosts, now } = await openScene();
  const cursor = await now();
  const held = await holdHosts("first", "second");
  const { valid_from: until } = await create("hosts", { name: "later" });
  const answer = await get(`changes?cursor=${cursor}&until=${until}`);
  expect(answer).toMatchObject({ status: 200, body: { data: [], meta: { has_more: false } } });
  expect(answer.headers.get("retry-after")).toBe("5");
  await held.commit();
  await create("hosts", { name: "last" });
  const { next_cursor } = changePage.parse(answer.body).meta;
  const { changes, cursor: end } = await followChanges(get, { cursor: next_cursor });
  expect(labelsOf(changes).sort()).toEqual(["first", "later", "second"]);
  expect((await get(`changes?cursor=${end}`)).headers.get("retry-after")).toBe(null);
});

test("a writer whose connection is killed leaves no changes behind, and nothing waits for it", {
  timeout,
}, async () => {
  const { organization, create, get, holdHosts, now } = await openScene();
  const cursor = await now();
  const before = await historyLength(organization.id);
  const held = await holdHosts("dies", "never");
  await create("hosts", { name: "later" });
  await held.kill();
  const { changes } = await followChanges(get, { cursor });
  expect(labelsOf(changes)).toEqual(["later"]);
  expect(changes.map(keyOf)).toEqual((await historyOf(organization.id)).slice(before));
});

const page = z.object({
  data: z.array(z.looseObject({ name: z.string() })),
  meta: z.object({
    pagination: z.object({ total_count: z.int(), next_cursor: z.string().nullable() }),
  }),
});

/** Creates three hosts, and returns functions that read them in pages of two. */
async function openWalk() {
  const scene = await openScene();
  const { organization, network_id, create } = scene;
  for (const name of ["one", "two", "three"]) {
    await create("hosts", { name });
  }
  const api = openApi({ DATABASE_DEADLINE_MS: "1500" });
  const ask = (cursor?: string | null) =>
    api.send(
      "GET",
      `/api/v1/hosts?network_id=${network_id}&limit=2${cursor ? `&cursor=${cursor}` : ""}`,
      { key: organization.keys.viewer },
    );
  return {
    ...scene,
    api,
    ask,
    /**
     * Reads a page. Returns the names on the page, the total count, and the cursor of the next
     * page.
     */
    async read(cursor?: string | null) {
      const answer = await ask(cursor);
      expect(answer).toMatchObject({ status: 200 });
      const { data, meta } = page.parse(answer.body);
      return { names: data.map(({ name }) => name), ...meta.pagination };
    },
  };
}

test("the first page waits only briefly for a long transaction, and the page's cursor is rejected after the commit", {
  timeout,
}, async () => {
  const { api, ask, read, create, holdHosts } = await openWalk();
  const held = await holdHosts("held", "held too");
  await create("hosts", { name: "later" });
  const startedAt = Date.now();
  const first = await read();
  expect(await api.calls()).toBe(2);
  expect(Date.now() - startedAt).toBeGreaterThanOrEqual(250);
  expect(first).toMatchObject({ names: ["one", "two"], total_count: 4 });
  // The next page waits for the transaction, for as long as a request may take.
  expect(await ask(first.next_cursor)).toMatchObject({
    status: 503,
    body: { code: "service_unavailable" },
  });
  await held.commit();
  const refused = seen(await ask(first.next_cursor));
  expect(refused).toEqual(invalidAt("query.cursor"));
  const again = await read();
  expect(again).toMatchObject({ names: ["one", "two"], total_count: 6 });
  const rest = [await read(again.next_cursor)];
  rest.push(await read(rest[0]?.next_cursor));
  expect(rest.flatMap(({ names }) => names).sort()).toEqual(["held", "held too", "later", "three"]);
});

test("the cursor of the first page works if the long transaction is rolled back", {
  timeout,
}, async () => {
  const { read, create, holdHosts } = await openWalk();
  const held = await holdHosts("dies", "never");
  await create("hosts", { name: "later" });
  const first = await read();
  await held.kill();
  await create("hosts", { name: "last" });
  expect(await read(first.next_cursor)).toMatchObject({
    names: ["three", "later"],
    total_count: 4,
    next_cursor: null,
  });
});

test("the first page includes a long transaction that commits while the page waits", {
  timeout,
}, async () => {
  // The wait is short, and a busy machine may miss it.
  for (let attempt = 1; ; attempt++) {
    const { read, create, holdHosts } = await openWalk();
    const held = await holdHosts("held", "held too");
    await create("hosts", { name: "later" });
    const reading = read();
    await expect
      .poll(
        () => sql`select from pg_stat_activity
          where datname = current_database() and state = 'active'
            and position('select app.fix_instant()' in query) = 1`,
        { interval: 5 },
      )
      .toHaveLength(1);
    await held.commit();
    const first = await reading;
    if (first.total_count === 6) {
      await create("hosts", { name: "last" });
      const second = await read(first.next_cursor);
      const third = await read(second.next_cursor);
      expect(third.next_cursor).toBe(null);
      expect([...first.names, ...second.names, ...third.names].sort()).toEqual(
        ["one", "two", "three", "held", "held too", "later"].sort(),
      );
      return;
    }
    expect(attempt).toBeLessThan(10);
  }
});

test("a walk is not affected by a transaction whose timestamp is later than the walk's snapshot", {
  timeout,
}, async () => {
  const { api, read, holdHosts } = await openWalk();
  const held = await holdHosts("held", "held too");
  const first = await read();
  expect(await api.calls()).toBe(1);
  await held.commit();
  expect(await read(first.next_cursor)).toMatchObject({ names: ["three"], next_cursor: null });
});

/**
 * Creates an inventory, and returns functions that use it. `diff` reads a diff and returns the
 * labels of its items, and the instant at which it ends.
 */
async function openDiffs() {
  const scene = await openScene();
  const { api, organization, create } = scene;
  await create("hosts", { name: "first" });
  const { changes } = await followChanges(scene.get, {});
  const limited = await mintKey(organization.id, { role: "Viewer" }, [organization.networks[0].id]);
  return {
    ...scene,
    limited,
    from: changes.at(-1)?.at ?? "",
    async diff(query: { from: string; to?: string }, key = organization.keys.viewer) {
      const answer = await api.send("GET", `/api/v1/diff?${new URLSearchParams(query)}`, { key });
      expect(answer).toMatchObject({ status: 200 });
      const { to, items } = diffSchema.parse(Object(answer.body).data);
      return { to, labels: labelsOf(items) };
    },
    /** Reads a histogram, and returns the number of its changes and the instant at which it ends. */
    async histogram(query: { from: string; to?: string }, key = organization.keys.viewer) {
      const get = (path: string) => api.send("GET", `/api/v1/${path}`, { key });
      const histogram = await histogramOf(get, { ...query });
      return { to: histogram.to, count: sumOf(histogram) };
    },
  };
}

test("a diff ends before a long transaction, and the next diff includes the transaction and later changes", {
  timeout,
}, async () => {
  const { from, diff, limited, create, get, holdHosts } = await openDiffs();
  await create("hosts", { name: "earlier" });
  const earlier = (await followChanges(get, { since: from })).changes.at(-1)?.at ?? "";
  const held = await holdHosts("held", "held too");
  await create("hosts", { name: "later" });
  expect(await diff({ from })).toEqual({ to: earlier, labels: ["earlier"] });
  expect(await diff({ from, to: earlier })).toEqual({ to: earlier, labels: ["earlier"] });
  expect(await diff({ from: earlier })).toEqual({ to: earlier, labels: [] });
  // A response must not reveal the instants of changes that its key cannot read.
  expect(await diff({ from }, limited)).toEqual({ to: from, labels: [] });
  await held.commit();
  const { to, labels } = await diff({ from: earlier });
  expect(labels.sort()).toEqual(["held", "held too", "later"]);
  expect(to > earlier).toBe(true);
  expect(await diff({ from: to })).toMatchObject({ labels: [] });
});

test("a histogram ends before a long transaction, which appears once it has been committed", {
  timeout,
}, async () => {
  const { from, histogram, limited, create, get, holdHosts } = await openDiffs();
  await create("hosts", { name: "earlier" });
  const earlier = (await followChanges(get, { since: from })).changes.at(-1)?.at ?? "";
  const held = await holdHosts("held", "held too");
  await create("hosts", { name: "later" });
  expect(await histogram({ from })).toEqual({ to: earlier, count: 1 });
  expect(await histogram({ from: earlier })).toEqual({ to: earlier, count: 0 });
  // A response must not reveal the instants of changes that its key cannot read.
  expect(await histogram({ from }, limited)).toEqual({ to: from, count: 0 });
  await held.commit();
  const { to, count } = await histogram({ from: earlier });
  expect(count).toBe(3);
  expect(to > earlier).toBe(true);
  expect(await histogram({ from: to })).toMatchObject({ count: 0 });
});

test("a diff includes the changes after a long transaction that was rolled back", {
  timeout,
}, async () => {
  const { from, diff, create, holdHosts } = await openDiffs();
  const held = await holdHosts("dies", "never");
  await create("hosts", { name: "later" });
  expect(await diff({ from })).toEqual({ to: from, labels: [] });
  await held.kill();
  expect(await diff({ from })).toMatchObject({ labels: ["later"] });
});

test("a diff ends with the newest change while a writer has no timestamp yet", {
  timeout,
}, async () => {
  const { organization, from, diff, create, get, insertHost } = await openDiffs();
  const held = await hold(
    [sql`select pg_advisory_xact_lock_shared(20261121, hashtext(${organization.id}))`],
    [enter(organization.keys.member), insertHost("held")],
  );
  await create("hosts", { name: "later" });
  const newest = (await followChanges(get, { since: from })).changes.at(-1)?.at ?? "";
  expect(await diff({ from })).toEqual({ to: newest, labels: ["later"] });
  expect(await diff({ from, to: newest })).toEqual({ to: newest, labels: ["later"] });
  await held.commit();
  expect(await diff({ from: newest })).toMatchObject({ labels: ["held"] });
});
