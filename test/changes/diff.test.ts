import { expect, test } from "vitest";
import * as z from "zod";
import { type Difference, diffByHostSchema, diffSchema } from "../../src/changes/model.ts";
import { failed, invalidAt, seen } from "../helpers/answers.ts";
import { enter, sql } from "../helpers/database.ts";
import { mintDaemon, mintKey, mintOrganization } from "../helpers/organization.ts";
import { inPhase, mintSession } from "../helpers/sessions.ts";
import { openChanges } from "./helpers.ts";

const meta = z.object({
  pagination: z.object({ total_count: z.int(), has_more: z.boolean() }),
});

const diffAnswer = z.object({ data: diffSchema, meta });
const diffByHostAnswer = z.object({ data: diffByHostSchema, meta });

const none = { added: 0, removed: 0, changed: 0, returned: 0 };

/**
 * Creates an inventory, and returns functions for reading its diffs and for reading the instant of
 * its last change.
 */
async function openDiffs() {
  const changes = await openChanges();
  const diff = async (query: Record<string, string>, get = changes.get) => {
    const answer = await get(`diff?${new URLSearchParams(query)}`);
    expect(answer).toMatchObject({ status: 200 });
    const { data, meta } = diffAnswer.parse(answer.body);
    return { ...data, ...meta.pagination };
  };
  const lastInstant = async () =>
    (await changes.follow({ network_id: changes.network_id })).at(-1)?.at ?? "";
  return { ...changes, diff, lastInstant };
}

test("reports added, removed, changed and returned records with their net differences", async () => {
  const { host, create, replace, remove, diff, lastInstant } = await openDiffs();
  const port = (number: number) => ({ host_id: host.id, number, protocol: "Tcp" });
  const kept = await create("ports", port(1));
  const gone = await create("ports", port(2));
  const closed = await create("ports", port(3));
  await remove("ports", closed.id);
  const from = await lastInstant();
  await replace("ports", kept.id, port(10));
  await replace("ports", kept.id, port(11));
  await remove("ports", gone.id);
  const back = await create("ports", port(3));
  const fresh = await create("ports", port(4));
  const { items, counts, ...rest } = await diff({ from });
  expect(rest).toMatchObject({ from, total_count: 4, has_more: false });
  expect(counts).toMatchObject({
    Port: { added: 1, removed: 1, changed: 1, returned: 1 },
    Host: none,
    Subnet: none,
  });
  const nothing = { changed: [], before: null, after: null };
  expect(items).toMatchObject([
    {
      entity_id: kept.id,
      change: "changed",
      label: "11/Tcp",
      label_before: "1/Tcp",
      changed: ["number"],
      before: { number: 1 },
      after: { number: 11 },
    },
    { entity_id: gone.id, change: "removed", label: "2/Tcp", ...nothing },
    { entity_id: back.id, change: "returned", label: "3/Tcp", ...nothing },
    { entity_id: fresh.id, change: "added", label: "4/Tcp", ...nothing },
  ]);
  expect(items).toMatchObject(items.map(() => ({ actor: { type: "key", name: "Test" } })));
  const whole = await diff({ from, include: "records" });
  expect(whole.items).toMatchObject([
    { before: { id: kept.id, number: 1 }, after: { id: kept.id, number: 11 } },
    { before: { id: gone.id, number: 2 }, after: null },
    { before: null, after: { id: back.id, number: 3 } },
    { before: null, after: { id: fresh.id, number: 4 } },
  ]);
});

test("omits records that were created and deleted, or changed and changed back", async () => {
  const { host, create, replace, remove, diff, lastInstant } = await openDiffs();
  const from = await lastInstant();
  const { id } = await create("ports", { host_id: host.id, number: 1, protocol: "Tcp" });
  await remove("ports", id);
  await replace("hosts", host.id, { name: "other" });
  await replace("hosts", host.id, { name: "host" });
  expect(await diff({ from })).toMatchObject({ items: [], total_count: 0, counts: { Host: none } });
});

test("filters and paging select parts of the same diff, and counts cover all pages", async () => {
  const { host, network_id, organization, create, diff } = await openDiffs();
  await create("subnets", { cidr: "10.0.0.0/8" });
  await create("hosts", { name: "other", ports: [{ number: 1, protocol: "Tcp" }] });
  await create("ports", { host_id: host.id, number: 2, protocol: "Tcp" });
  const from = "2000-01-01T00:00:00.000Z";
  const { items, total_count } = await diff({ from, network_id });
  expect(total_count).toBe(5);
  for (const limit of ["1", "2", "0"]) {
    const pages = [];
    for (let isMore = true; isMore; ) {
      const page = await diff({ from, network_id, limit, offset: String(pages.length) });
      expect(page).toMatchObject({ total_count, counts: { Host: { ...none, added: 2 } } });
      pages.push(...page.items);
      isMore = page.has_more;
    }
    expect(pages).toEqual(items);
  }
  const ofHost = await diff({ from, host_id: host.id });
  expect(ofHost.items).toEqual(items.filter((item) => item.host_id === host.id));
  const ports = await diff({ from, network_id, entity: "Port" });
  expect(ports.items).toEqual(items.filter(({ entity }) => entity === "Port"));
  expect(ports.counts).toMatchObject({ Port: { ...none, added: 2 }, Host: none });
  expect(
    await diff({ from, network_id: organization.networks[0].id, host_id: host.id }),
  ).toMatchObject({
    items: [],
  });
});

/** The expected items of a diff by host, from the items of the diff of records. */
function hostsOf(items: readonly Difference[]) {
  const byHost = Map.groupBy(items, ({ host_id }) => host_id);
  return [...byHost].flatMap(([host_id, of]) => {
    const count = (kind: Difference["change"]) => of.filter(({ change }) => change === kind).length;
    return host_id === null
      ? []
      : {
          host_id,
          label: of.find(({ entity }) => entity === "Host")?.label ?? expect.any(String),
          added: count("added"),
          removed: count("removed"),
          changed: count("changed"),
          returned: count("returned"),
        };
  });
}

test("by host, a diff counts the differences on each host, in the order of the diff", {
  timeout: 60_000,
}, async () => {
  const { host, create, remove, replace, diff, get, network_id, lastInstant } = await openDiffs();
  const port = { number: 1, protocol: "Tcp" };
  const gone = await create("hosts", { name: "gone", ports: [port] });
  const quiet = await create("hosts", { name: "quiet" });
  const from = await lastInstant();
  await create("subnets", { cidr: "10.0.0.0/8" });
  await remove("hosts", gone.id);
  await replace("hosts", host.id, { name: "renamed", ports: [port, { ...port, number: 2 }] });
  await create("hosts", { name: "new", ports: [port] });
  const { items, counts } = await diff({ from });
  const byHost = async (query: Record<string, string> = {}) => {
    const answer = await get(`diff?${new URLSearchParams({ from, by: "host", ...query })}`);
    expect(answer).toMatchObject({ status: 200 });
    return diffByHostAnswer.parse(answer.body);
  };
  const all = await byHost();
  expect(all.data.items).toEqual(hostsOf(items));
  expect(all.data.items.map(({ label }) => label).sort()).toEqual(["gone", "new", "renamed"]);
  expect(all.data.items).toContainEqual({
    host_id: host.id,
    label: "renamed",
    added: 2,
    removed: 0,
    changed: 1,
    returned: 0,
  });
  expect(all).toMatchObject({ data: { counts }, meta: { pagination: { total_count: 3 } } });
  for (const limit of ["1", "2", "0"]) {
    const pages = [];
    for (let isMore = true; isMore; ) {
      const { data, meta } = await byHost({ limit, offset: String(pages.length) });
      expect(meta.pagination.total_count).toBe(3);
      pages.push(...data.items);
      isMore = meta.pagination.has_more;
    }
    expect(pages).toEqual(all.data.items);
  }
  for (const query of [
    { network_id },
    { host_id: host.id },
    { entity: "Port" },
    { host_id: quiet.id },
    { entity: "Subnet" },
  ]) {
    const part: Record<string, string> = query;
    const wanted = hostsOf((await diff({ from, ...part })).items);
    const { data, meta } = await byHost(part);
    expect(data.items).toEqual(wanted);
    expect(meta.pagination.total_count).toBe(wanted.length);
  }
  expect(seen(await get(`diff?from=${from}&by=host&include=records`))).toEqual(
    invalidAt("query.include"),
  );
});

test("sends a diff by host in chunks if it has more hosts than fit in one chunk", async () => {
  const { organization, network_id, get, lastInstant } = await openDiffs();
  const from = await lastInstant();
  await sql.transaction([
    enter(organization.keys.member),
    sql`insert into hosts (organization_id, network_id, name)
      select ${organization.id}, ${network_id}, 'host ' || nth from generate_series(1, 1005) as nth`,
  ]);
  const read = async (query: string) =>
    diffByHostAnswer.parse((await get(`diff?from=${from}&by=host&${query}`)).body);
  const all = await read("limit=0");
  expect(all.meta.pagination.total_count).toBe(1005);
  expect(new Set(all.data.items.map(({ label }) => label)).size).toBe(1005);
  expect(all.data.items).toEqual(all.data.items.map((item) => ({ ...item, added: 1 })));
  const [page, rest] = [await read("limit=1000"), await read("limit=1000&offset=1000")];
  expect([...page.data.items, ...rest.data.items]).toEqual(all.data.items);
});

test("includes a record that moved from one host to another in the diff of each host", async () => {
  const { host, create, send, diff, lastInstant } = await openDiffs();
  const other = await create("hosts", { name: "other", ports: [{ number: 1, protocol: "Tcp" }] });
  const from = await lastInstant();
  await send("PUT", `hosts/${host.id}/consolidate/${other.id}`);
  const port = { entity: "Port", change: "changed", changed: ["host_id"], host_id: host.id };
  expect((await diff({ from, host_id: host.id })).items).toMatchObject([port]);
  expect((await diff({ from, host_id: other.id })).items).toMatchObject([
    port,
    { entity: "Host", entity_id: other.id, change: "removed", label: "other" },
  ]);
});

test("sends a large diff in chunks, both as a page and as a complete list", async () => {
  const { create, diff, network_id } = await openDiffs();
  const { id, ip_addresses } = await create("hosts", {
    name: "switch",
    ip_addresses: Array.from({ length: 1000 }, (_, at) => ({
      ip_address: `10.7.${at >> 8}.${at & 255}`,
    })),
  });
  const ip_address_ids = ip_addresses.map((address) => address.id);
  // Each interface has 39 KB of ids, so together they exceed 1 MiB.
  for (let if_index = 1; if_index <= 30; if_index++) {
    await create("interfaces", { host_id: id, if_index, ip_address_ids });
  }
  const query = { from: "2000-01-01T00:00:00.000Z", network_id, include: "records" };
  const whole = await diff({ ...query, limit: "0" });
  expect(whole).toMatchObject({ total_count: 1032, has_more: false });
  expect(new Set(whole.items.map(({ entity_id }) => entity_id)).size).toBe(1032);
  const interfaces = { ...query, entity: "Interface", limit: "29" };
  const page = await diff(interfaces);
  expect(page).toMatchObject({ total_count: 30, has_more: true });
  expect(page.items).toEqual(
    whole.items.filter(({ entity }) => entity === "Interface").slice(0, 29),
  );
});

test("accepts scans instead of instants, and includes everything that a scan wrote", async () => {
  const { api, organization, network_id, host, create, replace, diff, lastInstant, get } =
    await openDiffs();
  const daemon = await mintDaemon(organization.id, network_id);
  const scanOf = async (name: string) => {
    const id = crypto.randomUUID();
    await replace("hosts", host.id, { name });
    const at = await lastInstant();
    // A scan's writes have timestamps later than the end of the scan.
    const finished_at = new Date(Date.parse(at) - 1).toISOString();
    await sql`update transactions set discovery_id = ${id}
      where organization_id = ${organization.id} and changed_at = ${at}`;
    await mintSession(organization.id, network_id, daemon, {
      ...inPhase("Complete"),
      ...{ id, finished_at, started_at: finished_at },
    });
    return { id, at };
  };
  const first = await scanOf("first");
  const second = await scanOf("second");
  await create("ports", { host_id: host.id, number: 1, protocol: "Tcp" });
  expect(await diff({ from_session: first.id, to_session: second.id })).toMatchObject({
    from: first.at,
    to: second.at,
    items: [{ entity: "Host", before: { name: "first" }, after: { name: "second" } }],
  });
  expect(await diff({ from_session: second.id })).toMatchObject({ items: [{ entity: "Port" }] });

  const running = await mintSession(organization.id, network_id, daemon, inPhase("Scanning"));
  expect(seen(await get(`diff?from_session=${running}`))).toEqual(invalidAt("query.from_session"));
  expect(seen(await get(`diff?from_session=${second.id}&to_session=${first.id}`))).toEqual(
    invalidAt("query.to_session"),
  );
  const elsewhere = await mintKey(organization.id, {}, [organization.networks[0].id]);
  for (const [id, key] of [
    [crypto.randomUUID(), organization.keys.viewer],
    [second.id, elsewhere],
    [second.id, (await mintOrganization()).keys.owner],
  ] as const) {
    const path = `/api/v1/diff?from=2025-01-01T00:00:00Z&to_session=${id}`;
    expect(seen(await api.send("GET", path, { key }))).toEqual(
      failed("entity_reference_invalid", {
        entity: "DiscoverySession",
        field: "query.to_session",
        id,
      }),
    );
  }
});

test("rejects instants that are missing, duplicated or reversed", async () => {
  const { get } = await openDiffs();
  const id = crypto.randomUUID();
  const instant = "2025-01-01T00:00:00Z";
  for (const [query, path] of [
    ["", "query.from"],
    [`from=${instant}&from_session=${id}`, "query.from_session"],
    [`from=${instant}&to=${instant}&to_session=${id}`, "query.to_session"],
    [`from=${instant}&to=2024-12-31T23:59:59.999Z`, "query.to"],
    [`from=${instant}&limit=1001`, "query.limit"],
    [`from=${instant}&entity=Tag`, "query.entity[0]"],
  ] as const) {
    expect(seen(await get(`diff?${query}`)), query).toEqual(invalidAt(path));
  }
});

test("a key limited to specific networks sees and counts only the differences in them", async () => {
  const { api, organization, network_id, diff, create, host } = await openDiffs();
  await create("ports", { host_id: host.id, number: 1, protocol: "Tcp" });
  const key = await mintKey(organization.id, { role: "Viewer" }, [network_id]);
  const from = "2000-01-01T00:00:00.000Z";
  const own = await diff({ from, network_id });
  expect((await diff({ from })).total_count).toBeGreaterThan(own.total_count);
  const get = (path: string) => api.send("GET", `/api/v1/${path}`, { key });
  const { to: _, ...expected } = own;
  for (const limit of ["50", "0"]) {
    expect(await diff({ from, limit }, get)).toMatchObject(expected);
  }
  const hidden = { from, host_id: organization.networks[0].host_id };
  expect(await diff(hidden, get)).toMatchObject({ items: [], total_count: 0 });
});

test("makes one database call per request", async () => {
  const { api, organization } = await openDiffs();
  for (const query of ["", "&limit=0"]) {
    const before = await api.calls();
    await api.send("GET", `/api/v1/diff?from=2000-01-01T00:00:00Z${query}`, {
      key: organization.keys.viewer,
    });
    expect((await api.calls()) - before).toBe(1);
  }
});

test("limits a comparison to a million versions", async () => {
  expect(await sql`select app.maximum_versions_of_diff() as maximum`).toEqual([
    { maximum: 1_000_000 },
  ]);
});

test("pages of any size contain the same differences in the same order, with bindings ordered by label", async () => {
  const { host, create, diff } = await openDiffs();
  const service = await create("services", { host_id: host.id, name: "web" });
  for (const number of [443, 80, 8080, 22]) {
    const port = await create("ports", { host_id: host.id, number, protocol: "Tcp" });
    await create("bindings", { type: "Port", service_id: service.id, port_id: port.id });
  }
  const from = "2020-01-01T00:00:00Z";
  const all = await diff({ from, limit: "0" });
  const labels = all.items.map(({ entity, label }) => `${entity} ${label}`);
  expect(labels.filter((label) => label.startsWith("Binding"))).toEqual([
    "Binding web 22/Tcp",
    "Binding web 443/Tcp",
    "Binding web 80/Tcp",
    "Binding web 8080/Tcp",
  ]);
  for (const limit of [1, 2, 3, 100]) {
    const walked = [];
    for (let offset = 0; offset < all.total_count; offset += limit) {
      const page = await diff({ from, to: all.to, limit: `${limit}`, offset: `${offset}` });
      expect(page).toMatchObject({ total_count: all.total_count, counts: all.counts });
      walked.push(...page.items);
    }
    expect(walked).toEqual(all.items);
  }
});
