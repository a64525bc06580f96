import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import * as z from "zod";
import { demoSealingKeys } from "../../drizzle/demo/sealing-keys.ts";
import { hosts } from "../../src/database/tables/index.ts";
import { invalidAt, seen } from "../helpers/answers.ts";
import type { Answer } from "../helpers/api.ts";
import { database } from "../helpers/database.ts";
import { openInventory } from "../helpers/inventory.ts";
import { mintKey } from "../helpers/organization.ts";

const strong = /^"[\da-f]{64}"$/;
const weak = /^W\/"[\da-f]{64}"$/;

const pageSchema = z.object({
  data: z.array(z.object({ id: z.string(), name: z.string().nullable() })),
  meta: z.object({ pagination: z.object({ next_cursor: z.string().nullable() }) }),
});
const pageOf = ({ body }: Answer) => pageSchema.parse(body);
const tagOf = ({ headers }: Answer) => headers.get("etag") ?? "";
const cursorOf = (answer: Answer) => pageOf(answer).meta.pagination.next_cursor ?? "";

/** An inventory with three hosts, and a function that requests a page. */
async function openPages(variables: Record<string, unknown> = {}) {
  const inventory = await openInventory(variables);
  const { create, send } = inventory;
  const host = await create("hosts", { name: "one" });
  await create("hosts", { name: "two" });
  const last = await create("hosts", { name: "three" });
  const ask = (path: string, tag?: string, headers: Record<string, string> = {}) =>
    send("GET", path, undefined, {
      ...headers,
      ...(tag === undefined ? {} : { "If-None-Match": tag }),
    });
  return { ...inventory, host, last, ask };
}

test("a page without a next cursor has a strong tag, and a request with that tag returns 304, in one call", async () => {
  const { ask, api } = await openPages();
  const first = await ask("hosts");
  expect(tagOf(first)).toMatch(strong);
  expect(first.headers.get("cache-control")).toBe("private, no-cache");
  const before = await api.calls();
  const again = await ask("hosts", `"other", W/${tagOf(first)}`);
  expect(again).toMatchObject({ status: 304, text: "" });
  expect(tagOf(again)).toBe(tagOf(first));
  expect(again.headers.get("vary")).toContain("Accept");
  expect(again.headers.get("cache-control")).toBe("private, no-cache");
  expect(await api.calls()).toBe(before + 1);
});

test("the tag of a page changes with everything on the page", async () => {
  const { organization, network_id, host, ask, send, create } = await openPages();
  const port = await create("ports", { host_id: host.id, number: 22, protocol: "Tcp" });
  const service = await create("services", { host_id: host.id, name: "SSH" });
  const path = "hosts?include=labels";
  const isSame = async (tag: string) => (await ask(path, tag)).status === 304;
  const changes: Record<string, () => Promise<unknown>> = {
    "a field": () => send("PATCH", `hosts/${host.id}`, { name: "other" }),
    "a sighting, which starts no version": () =>
      database.execute(
        sql`update ${hosts} set last_seen_at = now() + interval '1 second' where id = ${host.id}`,
      ),
    "a port that opens because of a binding": () =>
      create("bindings", { type: "Port", service_id: service.id, port_id: port.id }),
    "the label of another record": () =>
      database.execute(sql`update networks set name = 'Renamed' where id = ${network_id}`),
    "another record": () => create("hosts", { name: "four" }),
  };
  for (const [change, make] of Object.entries(changes)) {
    const tag = tagOf(await ask(path));
    expect([change, await isSame(tag)]).toEqual([change, true]);
    await make();
    expect([change, await isSame(tag)]).toEqual([change, false]);
  }
  const tag = tagOf(await ask(path));
  const newer = await openInventory({ SERVER_VERSION: "9.9.9" }, organization);
  const headers = { "If-None-Match": tag };
  expect(await newer.send("GET", path, undefined, headers)).toMatchObject({ status: 200 });
});

test("a page with a next cursor has a weak tag, which stays the same although each cursor is different", async () => {
  const { ask, network_id } = await openPages();
  const path = `hosts?limit=2&order_by=name&network_id=${network_id}`;
  const first = await ask(path);
  const second = await ask(path);
  expect(tagOf(first)).toMatch(weak);
  expect(tagOf(second)).toBe(tagOf(first));
  expect(cursorOf(second)).not.toBe(cursorOf(first));
  const again = await ask(path, tagOf(first));
  expect(again).toMatchObject({ status: 304, text: "" });
  expect(again.headers.has("link")).toBe(false);
  const rest = pageOf(await ask(`${path}&cursor=${cursorOf(first)}`));
  expect(rest.data.map(({ name }) => name)).toEqual(["two"]);
});

test("a change behind a page changes its tag, since its old cursor would not show the change", async () => {
  const { ask, send, last } = await openPages();
  const path = "hosts?limit=2";
  const tag = tagOf(await ask(path));
  const { data } = pageOf(await ask(path));
  expect(data.map(({ id }) => id)).not.toContain(last.id);
  await send("PATCH", `hosts/${last.id}`, { name: "renamed" });
  const changed = await ask(path, tag);
  expect(changed).toMatchObject({ status: 200 });
  expect(pageOf(changed).data).toEqual(data);
});

test("a list without history keeps the tag of a page while another page changes", async () => {
  const { organization, api, send } = await openPages();
  for (const name of ["x", "y", "z"]) {
    await api.send("POST", "/api/v1/tags", { key: organization.keys.admin, json: { name } });
  }
  const ask = (tag?: string) =>
    send(
      "GET",
      "tags?limit=1&order_by=name&order_direction=desc",
      undefined,
      tag === undefined ? {} : { "If-None-Match": tag },
    );
  const first = await ask();
  await database.execute(sql`
    update tags set description = 'changed'
    where organization_id = ${organization.id} and name = 'x'`);
  expect(await ask(tagOf(first))).toMatchObject({ status: 304 });
  await database.execute(sql`
    update tags set description = 'changed'
    where organization_id = ${organization.id} and name = 'z'`);
  expect(await ask(tagOf(first))).toMatchObject({ status: 200 });
});

test("the tag of a page with a next cursor changes if its cursor would continue differently", async () => {
  const { ask, organization, api } = await openPages();
  const path = "hosts?limit=2";
  const tag = tagOf(await ask(path));
  const ofOther = (key: string) =>
    api.send("GET", `/api/v1/${path}`, { key, headers: { "If-None-Match": tag } });
  expect(await ofOther(organization.keys.member)).toMatchObject({ status: 304 });
  // A cursor belongs to its key.
  expect(await ofOther(organization.keys.viewer)).toMatchObject({ status: 200 });
  // A cursor keeps the instant that `-24h` had when the cursor was made.
  const relative = `${path}&last_seen_after=-24h`;
  const first = await ask(relative);
  expect(tagOf(first)).toMatch(weak);
  await new Promise((resolve) => setTimeout(resolve, 2));
  expect(await ask(relative, tagOf(first))).toMatchObject({ status: 200 });
});

test("a page with a cursor of a key that may be withdrawn has another tag", async () => {
  const { organization, ask } = await openPages();
  const path = "hosts?limit=2";
  const tag = tagOf(await ask(path));
  const rotated = await openInventory(
    { SEALING_KEYS: `next:${btoa("k".repeat(32))},${demoSealingKeys}` },
    organization,
  );
  const headers = { "If-None-Match": tag };
  expect(await rotated.send("GET", path, undefined, headers)).toMatchObject({ status: 200 });
});

test("a page with a next cursor has no tag for a key limited to specific networks", async () => {
  const { api, organization, network_id } = await openPages();
  const key = await mintKey(organization.id, { role: "Viewer" }, [network_id]);
  const ask = (path: string, tag?: string) =>
    api.send("GET", `/api/v1/${path}`, {
      key,
      headers: tag === undefined ? {} : { "If-None-Match": tag },
    });
  const first = await ask("hosts?limit=2");
  expect(first.headers.has("etag")).toBe(false);
  expect(first.headers.get("cache-control")).toBe("no-store");
  expect(first.headers.has("link")).toBe(true);
  expect(await ask("hosts?limit=2", "*")).toMatchObject({ status: 200 });
  const whole = await ask("hosts");
  expect(tagOf(whole)).toMatch(strong);
  expect(await ask("hosts", tagOf(whole))).toMatchObject({ status: 304 });
});

test("each format of a page has a tag of its own", async () => {
  const { ask } = await openPages();
  const accept = ["application/json", "text/csv", "application/x-ndjson"];
  const tags = await Promise.all(
    accept.map(async (Accept) => tagOf(await ask("hosts", undefined, { Accept }))),
  );
  expect(new Set(tags).size).toBe(3);
  for (const [index, Accept] of accept.entries()) {
    const statuses = tags.map(async (tag) => (await ask("hosts", tag, { Accept })).status);
    const expected = tags.map((_, other) => (other === index ? 304 : 200));
    expect(await Promise.all(statuses)).toEqual(expected);
  }
});

test("a page at an instant keeps its tag after later changes", async () => {
  const { ask, send, host, create } = await openPages();
  const later = await create("hosts", { name: "four" });
  const path = `hosts?at=${later.created_at}`;
  const first = await ask(path);
  expect(tagOf(first)).toMatch(strong);
  await create("hosts", { name: "five" });
  expect(await ask(path, tagOf(first))).toMatchObject({ status: 304 });
  await send("PATCH", `hosts/${host.id}`, { name: "renamed" });
  expect(await ask(path, tagOf(first))).toMatchObject({ status: 200 });
});

test("a list that is sent in chunks has no tag", async () => {
  const { ask } = await openPages();
  const whole = await ask("hosts?limit=0", "*");
  expect(whole).toMatchObject({ status: 200 });
  expect(whole.headers.has("etag")).toBe(false);
  expect(whole.headers.get("cache-control")).toBe("no-store");
});

test("a malformed If-None-Match is rejected", async () => {
  const { ask } = await openPages();
  expect(seen(await ask("hosts", "one"))).toEqual(invalidAt("header.if-none-match"));
});
