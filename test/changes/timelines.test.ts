import { expect, test } from "vitest";
import { failed, invalidAt, seen } from "../helpers/answers.ts";
import { mintKey } from "../helpers/organization.ts";
import { changePage, openChanges } from "./helpers.ts";

/** Creates an inventory with a changed host, and returns a function that reads timelines. */
async function openTimelines() {
  const changes = await openChanges();
  const { get, create, replace } = changes;
  const host = await create("hosts", {
    name: "first",
    ports: [1, 2, 3].map((number) => ({ number, protocol: "Tcp" })),
  });
  await replace("hosts", host.id, { name: "second", ports: host.ports.slice(1) });
  const timeline = async (path: string, query: Record<string, string> = {}) => {
    const answer = await get(`${path}/timeline?${new URLSearchParams(query)}`);
    expect(answer).toMatchObject({ status: 200 });
    return changePage.parse(answer.body);
  };
  return { ...changes, host, timeline };
}

test("the timeline of a host contains the changes to the host and its children, newest first", async () => {
  const { host, timeline, follow } = await openTimelines();
  const expected = (await follow({ host_id: host.id })).reverse();
  expect(expected.map(({ change }) => change)).toEqual([
    "deleted",
    "updated",
    ...expected.slice(2).map(() => "created"),
  ]);
  expect((await timeline(`hosts/${host.id}`)).data).toEqual(expected);
  expect((await timeline(`hosts/${host.id}`, { include_children: "false" })).data).toEqual(
    expected.filter(({ entity }) => entity === "Host"),
  );
});

test("pages of any size contain the whole timeline", async () => {
  const { host, timeline } = await openTimelines();
  const { data: whole, meta } = await timeline(`hosts/${host.id}`);
  expect(meta.has_more).toBe(false);
  for (const limit of ["1", "2", "5"]) {
    const collected = [];
    let page = await timeline(`hosts/${host.id}`, { limit });
    collected.push(...page.data);
    while (page.meta.has_more) {
      page = await timeline(`hosts/${host.id}`, { limit, cursor: page.meta.next_cursor });
      collected.push(...page.data);
    }
    expect(collected).toEqual(whole);
  }
});

test("deleted records keep their timelines", async () => {
  const { host, timeline, remove } = await openTimelines();
  const [, port] = host.ports;
  await remove("hosts", host.id);
  expect((await timeline(`ports/${port?.id}`)).data).toMatchObject([
    { change: "deleted" },
    { change: "created" },
  ]);
  const { data } = await timeline(`hosts/${host.id}`, { include: "records" });
  expect(data.filter(({ change }) => change === "deleted")).toHaveLength(4);
  expect(data.find(({ entity }) => entity === "Host")).toMatchObject({
    change: "deleted",
    before: { id: host.id, name: "second" },
  });
});

test("each kind has a timeline, and an unknown id or an id of another kind returns 404", async () => {
  const { host, create, timeline, get } = await openTimelines();
  const subnet = await create("subnets", { cidr: "10.0.0.0/8" });
  const address = await create("ip-addresses", { host_id: host.id, ip_address: "10.0.0.1" });
  const [, port] = host.ports;
  const service = await create("services", {
    host_id: host.id,
    name: "Web",
    bindings: [{ type: "Port", port_id: port?.id }],
  });
  const [binding] = service.bindings;
  const records = [
    ["Subnet", `subnets/${subnet.id}`, "10.0.0.0/8"],
    ["IPAddress", `ip-addresses/${address.id}`, "10.0.0.1"],
    ["Port", `ports/${port?.id}`, "2/Tcp"],
    ["Service", `services/${service.id}`, "Web"],
    ["Binding", `bindings/${binding?.id}`, "Web 2/Tcp"],
  ];
  for (const [entity, path = "", label] of records) {
    expect((await timeline(path)).data).toMatchObject([{ entity, label, change: "created" }]);
  }
  for (const id of [port?.id, crypto.randomUUID()]) {
    expect(seen(await get(`hosts/${id}/timeline`))).toEqual(
      failed("entity_not_found", { entity: "Host", id }),
    );
  }
  expect(seen(await get(`hosts/${host.id}/timeline?cursor=now`))).toEqual(
    invalidAt("query.cursor"),
  );
});

test("returns 404 for the timeline of a record on a network that is not in the key's list", async () => {
  const { api, host, organization } = await openTimelines();
  const key = await mintKey(organization.id, {}, [organization.networks[0].id]);
  const answer = await api.send("GET", `/api/v1/hosts/${host.id}/timeline`, { key });
  expect(seen(answer)).toEqual(failed("entity_not_found", { entity: "Host", id: host.id }));
});

test("keeps a binding on the timeline of its previous host when its service moves to another host", async () => {
  const { host, create, send, timeline, follow, remove } = await openTimelines();
  const other = await create("hosts", {
    name: "other",
    ports: [{ number: 443, protocol: "Tcp" }],
  });
  const [port] = other.ports;
  const service = await create("services", {
    host_id: other.id,
    name: "Web",
    bindings: [{ type: "Port", port_id: port?.id }],
  });
  const [binding] = service.bindings;
  const ofBinding = { entity_id: binding?.id ?? "" };
  const [created] = await follow(ofBinding);
  expect(created).toMatchObject({ change: "created", host_id: other.id });
  await send("PUT", `hosts/${host.id}/consolidate/${other.id}`);
  expect(await follow(ofBinding)).toEqual([created]);
  await remove("bindings", binding?.id ?? "");
  const [, deleted] = await follow(ofBinding);
  expect(deleted).toMatchObject({ change: "deleted", host_id: host.id });
  for (const [id, change] of [
    [other.id, created],
    [host.id, deleted],
  ] as const) {
    const ofHost = await follow({ host_id: id, entity: "Binding" });
    expect(ofHost).toEqual([change]);
    const { data } = await timeline(`hosts/${id}`);
    expect(data.filter(({ entity }) => entity === "Binding")).toEqual([change]);
  }
  expect((await timeline(`bindings/${binding?.id}`)).data).toEqual([deleted, created]);
});
