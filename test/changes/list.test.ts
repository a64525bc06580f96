import { expect, test } from "vitest";
import { invalidAt, seen } from "../helpers/answers.ts";
import { passedInstant } from "../helpers/binding-versions.ts";
import { sql } from "../helpers/database.ts";
import { shifted } from "../helpers/inventory.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";
import { changePage, followChanges, openChanges, pageOfChanges } from "./helpers.ts";
import { historyOf } from "./history.ts";
import { keyOf } from "./history-query.ts";

test("lists the creation, update and deletion of a record in order, each with its own instant", async () => {
  const { host, create, replace, remove, follow } = await openChanges();
  const port = await create("ports", { host_id: host.id, number: 8080, protocol: "Tcp" });
  await replace("ports", port.id, { host_id: host.id, number: 8443, protocol: "Tcp" });
  await remove("ports", port.id);
  const changes = await follow({ entity_id: port.id });
  expect(changes).toMatchObject([
    {
      change: "created",
      label: "8080/Tcp",
      label_before: null,
      changed: [],
      before: null,
      after: null,
    },
    {
      change: "updated",
      label: "8443/Tcp",
      label_before: "8080/Tcp",
      changed: ["number"],
      before: { number: 8080 },
      after: { number: 8443 },
    },
    {
      change: "deleted",
      label: "8443/Tcp",
      label_before: null,
      changed: [],
      before: null,
      after: null,
    },
  ]);
  expect(new Set(changes.map(({ at }) => at)).size).toBe(3);
  expect(new Set(changes.map(({ id }) => id)).size).toBe(3);
  expect(changes).toMatchObject(changes.map(() => ({ entity: "Port", host_id: host.id })));
});

test("a binding that moves to another port names its previous port, as a timeline and a diff do", async () => {
  const { host, create, replace, follow, get } = await openChanges();
  const ports = [];
  for (const number of [8096, 8920]) {
    ports.push(await create("ports", { host_id: host.id, number, protocol: "Tcp" }));
  }
  const service = await create("services", { host_id: host.id, name: "Jellyfin" });
  const binding = { type: "Port", service_id: service.id };
  const { id } = await create("bindings", { ...binding, port_id: ports[0]?.id });
  const from = (await follow()).at(-1)?.at ?? "";
  await replace("bindings", id, { ...binding, port_id: ports[1]?.id });
  const moved = { label: "Jellyfin 8920/Tcp", label_before: "Jellyfin 8096/Tcp" };
  for (const include of [{}, { include: "records" }]) {
    const [created, updated] = await follow({ entity_id: id, ...include });
    expect(created).toMatchObject({ label: "Jellyfin 8096/Tcp", label_before: null });
    expect(updated).toMatchObject({ change: "updated", ...moved, changed: ["port_id"] });
    expect([updated?.before, updated?.after].map((one) => one?.["label"])).toEqual([
      undefined,
      undefined,
    ]);
    const query = new URLSearchParams(include);
    expect(await get(`bindings/${id}/timeline?${query}`)).toMatchObject({
      body: { data: [updated, created] },
    });
    expect(await get(`diff?from=${from}&${query}`)).toMatchObject({
      body: { data: { items: [{ change: "changed", ...moved, before: updated?.before }] } },
    });
  }
});

test("a change names its host as it is called after the change, or before the host ends", async () => {
  const { host, create, remove, send, follow, get } = await openChanges();
  const port = await create("ports", { host_id: host.id, number: 22, protocol: "Tcp" });
  const from = (await follow({ network_id: host.network_id })).at(-1)?.at ?? "";
  await send("PATCH", `hosts/${host.id}`, { name: "renamed" });
  await remove("hosts", host.id);
  await create("subnets", { cidr: "192.0.2.0/24" });
  const { network_id } = host;
  const named = (await follow({ network_id })).map(({ change, entity, host_label }) => [
    change,
    entity,
    host_label,
  ]);
  expect(named).toEqual([
    ["created", "Host", host.name],
    ["created", "Port", host.name],
    ["updated", "Host", "renamed"],
    ["deleted", "Host", "renamed"],
    ["deleted", "Port", "renamed"],
    ["created", "Subnet", null],
  ]);
  expect(await get(`ports/${port.id}/timeline`)).toMatchObject({
    body: { data: [{ host_label: "renamed" }, { host_label: host.name }] },
  });
  expect(await get(`diff?from=${from}&entity=Port`)).toMatchObject({
    body: { data: { items: [{ change: "removed", host_label: "renamed" }] } },
  });
});

test("a change that keeps the label, or that deletes the record, has no previous label", async () => {
  const { host, send, remove, follow, get } = await openChanges();
  const from = (await follow()).at(-1)?.at ?? "";
  await send("PATCH", `hosts/${host.id}`, { description: "a description" });
  await send("PATCH", `hosts/${host.id}`, { name: "renamed" });
  const diff = async () => {
    const { body } = await get(`diff?from=${from}`);
    return body;
  };
  expect(await diff()).toMatchObject({ data: { items: [{ label_before: "host" }] } });
  await remove("hosts", host.id);
  expect(await follow({ entity_id: host.id, include: "records" })).toMatchObject([
    { change: "created", label: "host", label_before: null },
    { change: "updated", label: "host", label_before: null },
    { change: "updated", label: "renamed", label_before: "host" },
    { change: "deleted", label: "renamed", label_before: null, before: { name: "renamed" } },
  ]);
  expect(await diff()).toMatchObject({
    data: { items: [{ change: "removed", label: "host", label_before: null }] },
  });
});

test("until ends the list, including on pages that are read with a cursor", async () => {
  const { create, follow, page, get } = await openChanges();
  for (let nth = 0; nth < 5; nth++) {
    await create("hosts", { name: `host ${nth}` });
  }
  const all = await follow();
  for (const until of [all.at(-3)?.at ?? "", all.at(-1)?.at ?? "", await passedInstant()]) {
    const wanted = all.filter(({ at }) => at <= until);
    for (const limit of ["1", "3", "1000"]) {
      expect(await follow({ until, limit })).toEqual(wanted);
      const since = all[1]?.at ?? "";
      expect(await follow({ since, until, limit })).toEqual(wanted.filter(({ at }) => at > since));
    }
    const { cursor } = await followChanges(get, { until });
    await create("hosts", { name: "later" });
    const answer = await get(`changes?cursor=${cursor}`);
    expect(answer).toMatchObject({ status: 200, body: { data: [], meta: { has_more: false } } });
    expect(answer.headers.get("retry-after")).toBe(null);
    // A parameter replaces the instant in the cursor.
    const { data } = await page({ cursor, until: "9999-12-31T23:59:59.999Z" });
    expect(data.at(-1)).toMatchObject({ label: "later" });
    expect(await page({ cursor: "now", until })).toMatchObject({ data: [] });
  }
});

test("until in the future lists changes as they appear", async () => {
  const { create, follow, page, get } = await openChanges();
  const until = shifted(await passedInstant(), 3_600_000);
  expect(await follow({ until })).toEqual(await follow());
  const { meta } = await page({ cursor: "now", until });
  const path = `changes?cursor=${meta.next_cursor}`;
  expect((await get(path)).headers.get("retry-after")).toBe("5");
  await create("hosts", { name: "later" });
  expect(await page({ cursor: meta.next_cursor })).toMatchObject({ data: [{ label: "later" }] });
});

test("until must not be before since, and can be equal to it", async () => {
  const { get, page } = await openChanges();
  const at = await passedInstant();
  const query = `since=${at}&until=${shifted(at, -1)}`;
  expect(seen(await get(`changes?${query}`))).toEqual(invalidAt("query.until"));
  expect(await page({ since: at, until: at })).toMatchObject({
    data: [],
    meta: { has_more: false },
  });
});

test("a port that is created again after its deletion is reported as returned", async () => {
  const { host, create, remove, follow } = await openChanges();
  const port = { host_id: host.id, number: 22, protocol: "Tcp" };
  const { id } = await create("ports", port);
  await remove("ports", id);
  const again = await create("ports", port);
  const other = await create("ports", { ...port, protocol: "Udp" });
  expect(await follow({ entity_id: again.id })).toMatchObject([{ change: "returned" }]);
  expect(await follow({ entity_id: other.id })).toMatchObject([{ change: "created" }]);
  expect(await follow({ change: "returned" })).toMatchObject([{ entity_id: again.id }]);
});

test("returns the actor's name as it was at the time of the change, with the request id", async () => {
  const { host, send, organization, network_id, api, follow } = await openChanges();
  await api.send("PATCH", `/api/v1/hosts/${host.id}`, {
    key: organization.keys.admin,
    json: { name: "renamed" },
    headers: { "X-Request-Id": "a-request" },
  });
  const answer = await send("POST", `networks/${network_id}/imports`, {
    hosts: [{ addresses: [{ ip_address: "10.0.0.9" }] }],
  });
  const { data } = answer.body as { data: { discovery_id: string } };
  await sql`update user_api_keys set name = 'Later' where organization_id = ${organization.id}`;
  const changes = await follow();
  const actor = { type: "key", name: "Test" };
  expect(changes.filter(({ entity_id }) => entity_id === host.id)).toMatchObject([
    { change: "created", actor, source: { type: "Manual" }, discovery_id: null },
    { change: "updated", actor, request_id: "a-request" },
  ]);
  expect(changes.filter(({ label }) => label === "10.0.0.9")).toMatchObject([
    { entity: "Host", actor: { type: "import" }, discovery_id: data.discovery_id },
    { entity: "IPAddress", actor: { type: "import" }, source: { type: "Import" } },
  ]);
  // The database owner wrote this record.
  expect(changes[0]).toMatchObject({ actor: { type: "system", id: null, name: null } });
});

test("sightings, tags and `hidden` are not changes, and sightings do not record a transaction", async () => {
  const { send, network_id, organization, page } = await openChanges();
  const report = { hosts: [{ addresses: [{ ip_address: "10.0.0.9" }], ports: [] }] };
  await send("POST", `networks/${network_id}/imports`, report);
  const { meta } = await page({ cursor: "now" });
  const count = async () =>
    (
      await sql`
    select from transactions where organization_id = ${organization.id}`
    ).length;
  const before = await count();
  expect(await send("POST", `networks/${network_id}/imports`, report)).toMatchObject({
    body: { data: { counts: { unchanged: 1 } } },
  });
  expect(await count()).toBe(before);
  const [host] = await sql`select id from hosts where network_id = ${network_id} and name = 'host'`;
  await send("PATCH", `hosts/${host?.["id"]}`, { hidden: true, tags: [organization.tags[0]] });
  expect((await page({ cursor: meta.next_cursor })).data).toEqual([]);
});

test("pages of any size contain the whole history, and an empty page has Retry-After", async () => {
  const { get, create, remove, replace, organization } = await openChanges();
  const host = await create("hosts", {
    name: "many",
    ports: [1, 2, 3, 4, 5].map((number) => ({ number, protocol: "Tcp" })),
  });
  await replace("hosts", host.id, { name: "many", ports: [{ number: 9, protocol: "Udp" }] });
  await remove("hosts", host.id);
  const history = await historyOf(organization.id);
  let last = "";
  for (const limit of ["1", "2", "7", "1000"]) {
    const { changes, cursor } = await followChanges(get, { limit });
    expect(changes.map(keyOf)).toEqual(history);
    last = cursor;
  }
  const answer = await get(`changes?cursor=${encodeURIComponent(last)}`);
  expect(changePage.parse(answer.body)).toMatchObject({ data: [], meta: { has_more: false } });
  expect(answer.headers.get("Retry-After")).toBe("5");
  expect((await get("changes?limit=1")).headers.get("Retry-After")).toBe(null);
});

test("a page of large changes ends early, and the next page continues from there", async () => {
  const { get, send, create, organization } = await openChanges();
  const { id, ip_addresses } = await create("hosts", {
    name: "switch",
    ip_addresses: Array.from({ length: 1000 }, (_, at) => ({
      ip_address: `10.7.${at >> 8}.${at & 255}`,
    })),
  });
  const ip_address_ids = ip_addresses.map((address) => address.id);
  // Each interface has 39 KB of ids, so 26 interfaces are just below 1 MiB.
  for (let if_index = 1; if_index <= 30; if_index++) {
    await create("interfaces", { host_id: id, if_index, ip_address_ids });
  }
  const whole = { include: "records", limit: "1000" };
  const interfaces = { ...whole, entity: "Interface" };
  const page = await pageOfChanges(get, interfaces);
  expect(page).toMatchObject({ meta: { has_more: true } });
  expect(page.data.length).toBeLessThan(30);
  expect(page.data.length).toBeGreaterThan(20);
  const { changes } = await followChanges(get, whole);
  expect(changes.map(keyOf)).toEqual(await historyOf(organization.id));

  const timeline = async (cursor: string[][] = []) =>
    changePage.parse(
      (
        await send(
          "GET",
          `hosts/${id}/timeline?${new URLSearchParams([...Object.entries(whole), ...cursor])}`,
        )
      ).body,
    );
  const newest = await timeline();
  expect(newest.meta.has_more).toBe(true);
  const oldest = await timeline([["cursor", newest.meta.next_cursor]]);
  expect([...newest.data, ...oldest.data].map(keyOf).reverse().slice(-30)).toEqual(
    changes.slice(-30).map(keyOf),
  );
});

test("filters return the matching part of the history", async () => {
  const { host, create, follow, network_id, organization } = await openChanges();
  const port = await create("ports", { host_id: host.id, number: 80, protocol: "Tcp" });
  await create("subnets", { cidr: "10.0.0.0/8" });
  const all = await follow();
  const keys = (query: Record<string, string>) => follow(query).then((found) => found.map(keyOf));
  expect(await keys({ network_id })).toEqual(
    all.filter((one) => one.network_id === network_id).map(keyOf),
  );
  expect(await keys({ entity: "Subnet" })).toEqual(
    all.filter(({ entity }) => entity === "Subnet").map(keyOf),
  );
  expect(await keys({ host_id: host.id })).toEqual(
    all.filter(({ host_id }) => host_id === host.id).map(keyOf),
  );
  expect(await keys({ entity_id: port.id, network_id })).toEqual(
    all.filter(({ entity_id }) => entity_id === port.id).map(keyOf),
  );
  expect(await keys({ network_id: organization.networks[0].id, host_id: host.id })).toEqual([]);
});

test("finds changes of one kind no matter how far apart they are", async () => {
  const { host, create, remove, page, follow } = await openChanges();
  const ids: string[] = [];
  for (const number of [1, 2, 3, 4, 5, 6, 7]) {
    ids.push((await create("ports", { host_id: host.id, number, protocol: "Tcp" })).id);
  }
  const [first = "", second = ""] = ids;
  await remove("ports", first);
  await create("ports", { host_id: host.id, number: 1, protocol: "Tcp" });
  await remove("ports", second);
  const deleted = { change: "deleted", limit: "1" };
  const { data, meta } = await page(deleted);
  expect(data).toMatchObject([{ entity_id: first }]);
  expect(meta.has_more).toBe(true);
  const rest = await page({ ...deleted, cursor: meta.next_cursor });
  expect(rest.data).toMatchObject([{ entity_id: second }]);
  expect((await follow(deleted)).map(({ entity_id }) => entity_id)).toEqual([first, second]);
});

test("a list at an instant and the changes since then add up to the current state", async () => {
  const { create, replace, list, page, follow, host } = await openChanges();
  const { data } = await page({ limit: "1000" });
  const instant = data.at(-1)?.at ?? "";
  const port = await create("ports", { host_id: host.id, number: 80, protocol: "Tcp" });
  await replace("hosts", host.id, { name: "renamed" });
  expect(await list("ports", { at: instant })).toEqual([]);
  expect(await follow({ since: instant })).toMatchObject([
    { change: "created", entity_id: port.id },
    { change: "updated", entity_id: host.id, after: { name: "renamed" } },
  ]);
  expect(await follow({ since: "9999-01-01T00:00:00Z" })).toEqual([]);
});

test("with include=records, before and after are whole records", async () => {
  const { host, replace, remove, follow } = await openChanges();
  await replace("hosts", host.id, { name: "renamed", description: "a" });
  await remove("hosts", host.id);
  const record = { id: host.id, network_id: host.network_id, created_at: host.created_at };
  const [created, updated, deleted] = await follow({ entity_id: host.id, include: "records" });
  expect(created).toMatchObject({ before: null, after: { ...record, name: "host" } });
  expect(updated).toMatchObject({
    changed: ["name", "description"],
    before: { ...record, name: "host", valid_from: created?.at, source: { type: "Manual" } },
    after: { ...record, name: "renamed", description: "a", valid_from: updated?.at },
  });
  expect(deleted).toMatchObject({ before: { ...record, name: "renamed" }, after: null });
});

test("accepts a cursor with every key of its organization, and with no other key", async () => {
  const { api, organization, page } = await openChanges();
  const { meta } = await page({ cursor: "now" });
  const query = `/api/v1/changes?cursor=${encodeURIComponent(meta.next_cursor)}`;
  expect(await api.send("GET", query, { key: organization.keys.viewer })).toMatchObject({
    status: 200,
  });
  const other = await mintOrganization();
  expect(seen(await api.send("GET", query, { key: other.keys.owner }))).toEqual(
    invalidAt("query.cursor"),
  );
});

test("rejects a forged cursor, and a cursor together with an instant", async () => {
  const { get, page } = await openChanges();
  const { next_cursor } = (await page()).meta;
  const altered = `${next_cursor.slice(0, -6)}AAAAAA`;
  for (const cursor of ["Now", "demo.AAAA", "other.AAAA", "1", altered, `${next_cursor}A`]) {
    const answer = await get(`changes?cursor=${encodeURIComponent(cursor)}`);
    expect(seen(answer), cursor).toEqual(invalidAt("query.cursor"));
  }
  expect(seen(await get("changes?cursor=now&since=2025-01-01T00:00:00Z"))).toEqual(
    invalidAt("query.since"),
  );
  expect(seen(await get("changes?limit=0"))).toEqual(invalidAt("query.limit"));
  expect(seen(await get("changes?entity=Tag"))).toEqual(invalidAt("query.entity[0]"));
});

test("a key limited to specific networks sees only their changes, and cannot learn the number of other changes", async () => {
  const { api, organization, network_id, create, replace, host, follow } = await openChanges();
  const key = await mintKey(organization.id, { role: "Viewer" }, [network_id]);
  const get = (path: string) => api.send("GET", `/api/v1/${path}`, { key });
  const own = (await follow()).filter((one) => one.network_id === network_id);
  for (const limit of ["1", "100"]) {
    const { changes } = await followChanges(get, { limit });
    expect(changes).toEqual(own);
  }
  const { meta } = await pageOfChanges(get, { cursor: "now" });
  await api.send("PATCH", `/api/v1/hosts/${organization.networks[0].host_id}`, {
    key: organization.keys.owner,
    json: { name: "hidden" },
  });
  // Every cursor is different, so an equal cursor cannot reveal that nothing has changed.
  const [one, other] = [
    await pageOfChanges(get, { cursor: meta.next_cursor }),
    await pageOfChanges(get, { cursor: meta.next_cursor }),
  ];
  expect([one, other]).toMatchObject([
    { data: [], meta: { has_more: false } },
    { data: [], meta: { has_more: false } },
  ]);
  expect(one.meta.next_cursor).not.toBe(other.meta.next_cursor);
  expect(one.meta.next_cursor).toHaveLength(meta.next_cursor.length);
  await replace("hosts", host.id, { name: "seen" });
  const subnet = await create("subnets", { cidr: "10.0.0.0/8" });
  const { changes } = await followChanges(get, { cursor: one.meta.next_cursor });
  expect(changes).toMatchObject([{ entity_id: host.id }, { entity_id: subnet.id }]);
});

test("makes one database call per request", async () => {
  const { api, organization, page } = await openChanges();
  const { next_cursor } = (await page()).meta;
  for (const query of ["", "?cursor=now", `?cursor=${encodeURIComponent(next_cursor)}`]) {
    const before = await api.calls();
    await api.send("GET", `/api/v1/changes${query}`, { key: organization.keys.viewer });
    expect((await api.calls()) - before).toBe(1);
  }
});

test("keeps changes in order when the clock is set back", async () => {
  const { organization, host, replace, follow, get, list, page } = await openChanges();
  await sql`
    insert into transactions (organization_id, changed_at, actor_type)
    values (${organization.id}, date_trunc('milliseconds', clock_timestamp()) + interval '1 hour', 'system')`;
  const { meta } = await page({ cursor: "now" });
  for (const name of ["first", "second", "third"]) {
    await replace("hosts", host.id, { name });
  }
  const { changes } = await followChanges(get, { cursor: meta.next_cursor });
  expect(changes.map(({ label }) => label)).toEqual(["first", "second", "third"]);
  expect(changes.map(({ at }) => at).toSorted()).toEqual(changes.map(({ at }) => at));
  expect(await follow({ since: changes[1]?.at ?? "" })).toMatchObject([{ label: "third" }]);
  expect(await list("hosts", { limit: "0" })).toMatchObject([{ id: host.id, name: "third" }]);
});
