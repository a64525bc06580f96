import { beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { failed, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { sql } from "../helpers/database.ts";
import { inventoryCollections } from "../helpers/inventory.ts";
import {
  endedUntil,
  keepFor,
  limitOf,
  moveIntoPast,
  sweepAll,
  sweepOnce,
} from "../helpers/retention.ts";
import { followChanges, openChanges, pageOfChanges } from "./helpers.ts";
import { countOf, histogramOf } from "./histograms.ts";

const days = 30;
const history_from = limitOf(days);
const before = new Date(Date.parse(history_from) - 1).toISOString();

const historyExpired = failed("history_expired", { history_from });
const cursorExpired = failed("cursor_expired", { history_from });

const pageCursor = z.object({
  meta: z.object({ pagination: z.object({ next_cursor: z.string() }) }),
});

/**
 * An organization with changes before, at and after the limit of its history, and with cursors that
 * were issued while all of its history was kept. The history has not been deleted yet.
 */
async function openPast() {
  const changes = await openChanges();
  const { host, create, replace, remove, organization, network_id, get, page } = changes;
  await create("hosts", { name: "beside" });
  const subnet = await create("subnets", { cidr: "10.0.0.0/24" });
  const address = await create("ip-addresses", { host_id: host.id, ip_address: "10.0.0.1" });
  const port = await create("ports", { host_id: host.id, number: 80, protocol: "Tcp" });
  const face = await create("interfaces", { host_id: host.id, if_index: 1 });
  const neighbor = await create("neighbors", {
    interface_id: face.id,
    protocol: "Lldp",
    chassis_id: { subtype: "LocallyAssigned", value: "switch" },
  });
  const service = await create("services", { host_id: host.id, name: "Web" });
  const binding = await create("bindings", {
    type: "Port",
    service_id: service.id,
    port_id: port.id,
  });
  const gone = await create("hosts", { name: "gone" });
  await remove("hosts", gone.id);
  const renamed = await replace("hosts", host.id, { name: "second" });
  const atLimit = await create("hosts", { name: "at the limit" });
  const later = await replace("hosts", host.id, { name: "third" });
  const moved = await moveIntoPast(organization.id, atLimit.valid_from, days);
  const past = moved(renamed.valid_from);
  const timelines = {
    subnets: subnet.id,
    hosts: host.id,
    "ip-addresses": address.id,
    ports: port.id,
    interfaces: face.id,
    neighbors: neighbor.id,
    services: service.id,
    bindings: binding.id,
  };
  const cursors = {
    first: (await page({ limit: "1" })).meta.next_cursor,
    atLimit: (await page({ since: past, limit: "1" })).meta.next_cursor,
    list: pageCursor.parse((await get(`hosts?limit=1&network_id=${network_id}&at=${past}`)).body)
      .meta.pagination.next_cursor,
    live: pageCursor.parse((await get(`hosts?limit=1&network_id=${network_id}`)).body).meta
      .pagination.next_cursor,
  };
  return {
    ...changes,
    ...{ past, later, gone, atLimit, timelines, cursors },
    laterAt: moved(later.valid_from),
    cut: async () => {
      await keepFor(organization.id, days);
      await sweepAll();
    },
  };
}

let kept: Awaited<ReturnType<typeof openPast>>;

beforeAll(async () => {
  kept = await openPast();
  for (const [collection, id] of Object.entries(kept.timelines)) {
    // The host's newest change is kept.
    const limit = collection === "hosts" ? "limit=2&include_children=false" : "limit=1";
    const { meta } = pageOf(await kept.get(`${collection}/${id}/timeline?${limit}`));
    timelineCursors.set(collection, meta.next_cursor);
  }
  await kept.cut();
});

const timelineCursors = new Map<string, string>();
const pageOf = ({ body }: { body: unknown }) =>
  z.object({ meta: z.object({ next_cursor: z.string() }) }).parse(body);

test("the organization record contains the start of its history", async () => {
  expect(await kept.get("organizations")).toMatchObject({
    body: { data: { history_days: days, history_from } },
  });
});

test.each([...inventoryCollections, "if-entries", "summary", "topology", "topology/data", "vlans"])(
  "%s returns 410 before the start of history, and is complete from then on",
  async (path) => {
    const at = (instant: string) => `${path}?network_id=${kept.network_id}&at=${instant}`;
    expect(seen(await kept.get(at(before)))).toEqual(historyExpired);
    expect(await kept.get(at(history_from))).toMatchObject({ status: 200 });
  },
);

test.each(inventoryCollections)(
  "a complete list of %s returns 410 before the start of history",
  async (name) => {
    expect(seen(await kept.get(`${name}?limit=0&at=${before}`))).toEqual(historyExpired);
  },
);

test("a list's cursor returns 410 before the start of history, but a cursor for the live list remains valid", async () => {
  const { cursors, get, past, later, network_id } = kept;
  const { list, live } = cursors;
  expect(
    seen(await get(`hosts?limit=1&network_id=${network_id}&at=${past}&cursor=${list}`)),
  ).toEqual(historyExpired);
  expect(await get(`hosts?limit=1&network_id=${network_id}&cursor=${live}`)).toMatchObject({
    status: 200,
    body: { data: [{ name: "beside" }] },
  });
  expect(await kept.read("hosts", later.id)).toMatchObject({ name: "third" });
});

test("paging through the live list returns 410 only if history it needs was deleted", async () => {
  const { organization, network_id, laterAt, get, create, remove, cut } = await openPast();
  await moveIntoPast(organization.id, laterAt, days + 5);
  const { next_cursor } = pageCursor.parse(
    (await get(`hosts?limit=1&network_id=${network_id}`)).body,
  ).meta.pagination;
  await cut();
  const rest = () => get(`hosts?limit=1&network_id=${network_id}&cursor=${next_cursor}`);
  expect(await rest()).toMatchObject({ status: 200, body: { data: [{ name: "beside" }] } });
  const { id } = await create("hosts", { name: "short-lived" });
  await remove("hosts", id);
  expect(await rest()).toMatchObject({ status: 200, body: { data: [{ name: "beside" }] } });
  // Now that the first page has been read, moves these changes to before the limit.
  const earlier = sql`interval '32 days'`;
  await sql.transaction([
    sql`set local session_replication_role = replica`,
    sql`update transactions set changed_at = changed_at - ${earlier}
      where organization_id = ${organization.id} and changed_at > now() - interval '1 hour'`,
    sql`update hosts set valid_from = valid_from - ${earlier}, valid_to = valid_to - ${earlier}
      where organization_id = ${organization.id} and lineage_id = ${id}`,
  ]);
  expect(seen(await rest())).toEqual(cursorExpired);
});

test("a CSV list returns 410 before the start of history", async () => {
  const answer = await openApi().send("GET", `/api/v1/hosts?at=${before}`, {
    key: kept.organization.keys.viewer,
    headers: { Accept: "text/csv" },
  });
  expect(seen(answer)).toEqual(historyExpired);
});

test("a histogram cannot begin before the start of history, and by default begins after it", async () => {
  const { get } = kept;
  const path = "changes/histogram";
  expect(seen(await get(`${path}?from=${before}`))).toEqual(historyExpired);
  expect(seen(await get(`${path}?to=${before}`))).toEqual(historyExpired);
  expect(await get(`${path}?from=${history_from}`)).toMatchObject({ status: 200 });
  const { data } = await pageOfChanges(get);
  const { from, buckets } = await histogramOf(get, { buckets: "1" });
  expect(Date.parse(from) + 1).toBe(Date.parse(data[0]?.at ?? ""));
  expect(from >= history_from).toBe(true);
  expect(buckets.map(countOf)).toEqual([(await followChanges(get)).changes.length]);
});

test("a diff cannot begin before the start of history", async () => {
  for (const rest of ["", "&limit=0"]) {
    expect(seen(await kept.get(`diff?from=${before}${rest}`))).toEqual(historyExpired);
    expect(await kept.get(`diff?from=${history_from}${rest}`)).toMatchObject({
      status: 200,
      body: { data: { from: history_from, items: [{ entity_id: kept.host.id }] } },
    });
  }
});

test("changes since an instant before the start of history return 410", async () => {
  expect(seen(await kept.get(`changes?since=${before}`))).toEqual(historyExpired);
});

test("changes begin after the start of history, because changes at that instant have lost their previous version", async () => {
  for (const query of [{}, { since: history_from }]) {
    const { changes } = await followChanges(kept.get, query);
    expect(changes).toMatchObject([
      { at: kept.laterAt, before: { name: "second" }, after: { name: "third" } },
    ]);
  }
});

test("a changes cursor returns 410 if later changes were deleted", async () => {
  for (const cursor of [kept.cursors.first, kept.cursors.atLimit]) {
    expect(seen(await kept.get(`changes?cursor=${cursor}`))).toEqual(cursorExpired);
  }
});

test("a reader that is up to date can continue, no matter how long ago the last change was", async () => {
  const { organization, host, laterAt, get, remove, cut } = await openPast();
  await moveIntoPast(organization.id, laterAt, days + 5);
  const { cursor } = await followChanges(get);
  await cut();
  expect((await followChanges(get, { cursor })).changes).toEqual([]);
  await remove("hosts", host.id);
  const { changes } = await followChanges(get, { cursor });
  expect(changes.find(({ entity }) => entity === "Host")).toMatchObject({
    change: "deleted",
    label: "third",
  });
});

test.each(inventoryCollections)(
  "the timeline of %s ends at the start of history, and an earlier cursor returns 410",
  async (name) => {
    const path = `${name}/${kept.timelines[name]}/timeline`;
    const { changes } = await followChanges(async () => kept.get(path));
    expect(changes.filter(({ at }) => at <= history_from)).toEqual([]);
    const cursor = timelineCursors.get(name) ?? "";
    expect(seen(await kept.get(`${path}?cursor=${cursor}`))).toEqual(cursorExpired);
  },
);

test("a timeline's cursor after the last kept change returns an empty page", async () => {
  const path = `hosts/${kept.timelines.hosts}/timeline`;
  const { meta } = pageOf(await kept.get(`${path}?limit=1&include_children=false`));
  const answer = await kept.get(`${path}?include_children=false&cursor=${meta.next_cursor}`);
  expect(answer).toMatchObject({ status: 200, body: { data: [] } });
});

test("a record that was deleted before the start of history has no timeline", async () => {
  const { id } = kept.gone;
  expect(seen(await kept.get(`hosts/${id}/timeline`))).toEqual(
    failed("entity_not_found", { entity: "Host", id }),
  );
});

test("a returned record is reported as created once its earlier history is deleted", async () => {
  const { organization, host, create, remove, follow, get } = await openChanges();
  const port = { host_id: host.id, number: 80, protocol: "Tcp" };
  const closed = await create("ports", port);
  await remove("ports", closed.id);
  const { valid_from } = await create("hosts", { name: "at the limit" });
  const opened = await create("ports", port);
  const moved = await moveIntoPast(organization.id, valid_from, days);
  const changeOf = async () =>
    (await follow({ entity_id: opened.id })).map(({ id, change }) => ({ id, change }));
  const differences = async () => {
    const answer = await get(`diff?from=${history_from}&entity=Port`);
    return z
      .object({ data: z.object({ items: z.array(z.object({ change: z.string() })) }) })
      .parse(answer.body).data.items;
  };
  const [before] = await changeOf();
  expect(before?.change).toBe("returned");
  expect(await differences()).toMatchObject([{ change: "returned" }]);
  await keepFor(organization.id, days);
  await sweepAll();
  expect(await changeOf()).toEqual([{ id: before?.id, change: "created" }]);
  expect(await differences()).toMatchObject([{ change: "added" }]);
  expect(moved(opened.valid_from) > history_from).toBe(true);
});

test("a reader that is between two pages gets 410, never a gap", async () => {
  const { organization, network_id, create, replace, get } = await openChanges();
  const hosts = await Promise.all(
    Array.from({ length: 6 }, (_, nth) => create("hosts", { name: `host ${nth}` })),
  );
  const past = (await create("hosts", { name: "last" })).valid_from;
  for (const { id } of hosts) {
    await replace("hosts", id, { name: "renamed" });
  }
  const { valid_from } = await create("hosts", { name: "at the limit" });
  const moved = await moveIntoPast(organization.id, valid_from, days);
  const list = `hosts?limit=1&network_id=${network_id}&at=${moved(past)}`;
  const walk = pageCursor.parse((await get(list)).body).meta.pagination.next_cursor;
  const { meta } = await pageOfChanges(get, { limit: "1" });
  await keepFor(organization.id, days);
  let steps = 0;
  for (; (await endedUntil(organization.id, history_from)) > 0; steps++) {
    await sweepOnce(1);
    expect(seen(await get(`${list}&cursor=${walk}`))).toEqual(historyExpired);
    expect(seen(await get(`changes?limit=1&cursor=${meta.next_cursor}`))).toEqual(cursorExpired);
  }
  expect(steps).toBe(hosts.length);
});

test("a read during the deletion of history returns the complete response or 410", async () => {
  const { organization, network_id, send, create, get, list } = await openChanges();
  const sent = Array.from({ length: 40 }, (_, nth) => ({ network_id, name: `host ${nth}` }));
  await send("POST", "hosts/bulk", sent);
  const past = (await create("hosts", { name: "last" })).valid_from;
  for (const { id } of await list("hosts", { limit: "100" })) {
    await send("PATCH", `hosts/${id}`, { name: "renamed" });
  }
  const { valid_from } = await create("hosts", { name: "at the limit" });
  const moved = await moveIntoPast(organization.id, valid_from, days);
  const paths = [
    `hosts?limit=100&network_id=${network_id}&at=${moved(past)}`,
    `hosts?limit=0&network_id=${network_id}&at=${moved(past)}`,
    `diff?from=${moved(past)}&limit=100`,
    "changes?limit=1000&include=records",
    `hosts/${(await list("hosts"))[0]?.id}/timeline?include=records`,
  ];
  const dataOf = async (path: string) => {
    const { status, body } = await get(path);
    return { status, text: JSON.stringify(status === 200 ? Object(body).data : null) };
  };
  const before = await Promise.all(paths.map(dataOf));
  await keepFor(organization.id, days);
  let isSwept = false;
  const read: { path: string; status: number; text: string }[] = [];
  const follow = async (path: string) => {
    do {
      read.push({ path, ...(await dataOf(path)) });
    } while (!isSwept);
  };
  const sweep = async () => {
    while ((await sweepOnce(3)) > 0) {}
    isSwept = true;
  };
  await Promise.all([...paths.map(follow), sweep()]);
  const after = await Promise.all(paths.map(dataOf));
  expect(after.map(({ status }) => status)).toEqual([410, 410, 410, 200, 200]);
  for (const [index, path] of paths.entries()) {
    const texts = [before[index], after[index]].map((answer) => answer?.text);
    const answers = read.filter((answer) => answer.path === path);
    // One of two concurrent transactions may have to be retried.
    for (const { status, text } of answers.filter(({ status }) => status !== 409)) {
      expect([200, 410]).toContain(status);
      expect(texts).toContain(text);
    }
  }
}, 60_000);

test("a tool reports the start of history", async () => {
  const answer = await openApi().send("POST", "/mcp", {
    key: kept.organization.keys.viewer,
    headers: {
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2025-11-25",
    },
    json: {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "find", arguments: { q: "host", at: before } },
    },
  });
  const error = `The organization keeps its history from ${history_from} on: choose that instant or a later one.`;
  const text = JSON.stringify({ code: "history_expired", error });
  expect(answer).toMatchObject({
    status: 200,
    body: { result: { isError: true, content: [{ text }] } },
  });
});
