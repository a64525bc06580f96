import { afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  type Topology,
  topologyBounds,
  topologySchema,
} from "../../../src/inventory/topology/model.ts";
import { openApi } from "../../helpers/api.ts";
import {
  type Inventory,
  type InventoryCollection,
  mintEmptyNetwork,
  openInventory,
} from "../../helpers/inventory.ts";
import { mintOrganization } from "../../helpers/organization.ts";

/** The path of a network's map. */
const pathOf = (network_id: string, query = "") =>
  `/api/v1/topology?network_id=${network_id}${query}`;

interface Mapped {
  organization: Inventory["organization"];
  network_id: string;
}

/** A network's map, as read by a Viewer. */
async function mapOf({ organization, network_id }: Mapped, query = "") {
  const key = organization.keys.viewer;
  const answer = await openApi().send("GET", pathOf(network_id, query), { key });
  expect(answer, query).toMatchObject({ status: 200 });
  return topologySchema.parse((answer.body as { data: unknown }).data);
}

/** An inventory with a network of its own. */
async function openEmpty() {
  const inventory = await openInventory();
  const network_id = await mintEmptyNetwork(inventory.organization.id);
  const create = <Name extends InventoryCollection>(name: Name, json: object) =>
    inventory.create(name, name === "hosts" || name === "subnets" ? { network_id, ...json } : json);
  return { ...inventory, create, network_id };
}

/** The labels of the nodes, with their parents' labels, and the labels of the edges' ends. */
function drawing({ nodes, edges }: Topology) {
  const labels = new Map(nodes.map(({ id, label }) => [id, label]));
  const labelOf = (id: string | null) => (id === null ? null : labels.get(id));
  return {
    nodes: nodes.map(({ label, parent }) => [label, labelOf(parent)]).sort(),
    edges: edges
      .map(({ type, source, target, label }) => [type, labelOf(source), labelOf(target), label])
      .sort(),
  };
}

/**
 * Creates two subnets, a router in both, a hypervisor with a service, its guest, and a container.
 */
async function openScene() {
  const inventory = await openEmpty();
  const { create } = inventory;
  const floor = await create("subnets", { cidr: "10.0.0.0/24", name: "Floor" });
  const cellar = await create("subnets", { cidr: "10.0.1.0/24", name: "Cellar" });
  const [inFloor, inCellar] = [crypto.randomUUID(), crypto.randomUUID()];
  const router = await create("hosts", {
    name: "router",
    ip_addresses: [
      { id: inCellar, ip_address: "10.0.1.1" },
      { id: inFloor, ip_address: "10.0.0.1" },
      { ip_address: "2001:db8::1" },
      { ip_address: "172.16.0.1" },
    ],
    services: [
      { name: "Gateway", bindings: [{ type: "IPAddress", ip_address_id: inFloor }] },
      { name: "Old proxy", bindings: [] },
    ],
  });
  const portId = crypto.randomUUID();
  const hypervisor = await create("hosts", {
    name: "hypervisor",
    operating_system: "Proxmox VE 8.4",
    ip_addresses: [{ ip_address: "10.0.0.2" }],
    ports: [{ id: portId, number: 8006, protocol: "Tcp" }],
    services: [
      { name: "Proxmox VE", bindings: [{ type: "Port", port_id: portId }] },
      { name: "Docker" },
    ],
  });
  const runner = (name: string) => hypervisor.services.find((one) => one.name === name)?.id;
  const guest = await create("hosts", {
    name: "guest",
    ip_addresses: [{ ip_address: "10.0.1.2" }],
    virtualization: {
      type: "Proxmox",
      details: { vm_name: "vm 100", vm_id: "100", service_id: runner("Proxmox VE") },
    },
  });
  const container = await create("services", {
    host_id: hypervisor.id,
    name: "Forgejo",
    version: "Forgejo 9",
    virtualization: {
      type: "Docker",
      details: {
        container_name: "forgejo",
        container_id: null,
        compose_project: null,
        service_id: runner("Docker"),
      },
    },
  });
  await create("hosts", { name: "stray" });
  return { ...inventory, floor, cellar, router, hypervisor, guest, container };
}

let scene: Awaited<ReturnType<typeof openScene>>;

beforeAll(async () => {
  scene = await openScene();
});

const usual = { ...topologyBounds };
afterEach(() => {
  Object.assign(topologyBounds, usual);
});

const addresses = [
  ["Address", "guest", "Cellar", "10.0.1.2"],
  ["Address", "hypervisor", "Floor", "10.0.0.2"],
  ["Address", "router", "Cellar", "10.0.1.1"],
  ["Address", "router", "Floor", "10.0.0.1"],
];
const gateway = ["Gateway", "router", "Floor", "10.0.0.1"];

describe("the layer l3", () => {
  test("connects hosts with subnets and with the hosts that they run on", async () => {
    const map = await mapOf(scene);
    expect(map).toMatchObject({
      at: null,
      network_ids: [scene.network_id],
      layer: "l3",
      detail: "hosts",
      counts: { nodes: 6, edges: 6, hosts: 4, hosts_in_no_subnet: 1 },
    });
    expect(drawing(map)).toEqual({
      nodes: [
        ["Cellar", null],
        ["Floor", null],
        ["guest", "Cellar"],
        ["hypervisor", "Floor"],
        ["router", null],
        ["stray", null],
      ],
      edges: [...addresses, gateway, ["RunsOn", "guest", "hypervisor", "vm 100"]],
    });
  });

  test("names the records of nodes and the evidence of edges", async () => {
    const { nodes, edges } = await mapOf(scene);
    const { router, floor, guest, network_id } = scene;
    expect(nodes).toContainEqual({
      id: `host:${router.id}`,
      type: "Host",
      record: { entity: "Host", id: router.id },
      label: "router",
      network_id,
      parent: null,
      details: {
        addresses: ["10.0.0.1", "10.0.1.1", "172.16.0.1", "2001:db8::1"],
        services: 1,
        operating_system: null,
      },
    });
    expect(nodes).toContainEqual({
      id: `subnet:${floor.id}`,
      type: "Subnet",
      record: { entity: "Subnet", id: floor.id },
      label: "Floor",
      network_id,
      parent: null,
      details: { cidr: "10.0.0.0/24", subnet_type: "Unknown", hosts: 2, addresses: 2 },
    });
    const binding = router.services.flatMap(({ bindings }) => bindings)[0]?.id;
    expect(edges).toContainEqual({
      id: `gateway:${binding}`,
      type: "Gateway",
      source: `host:${router.id}`,
      target: `subnet:${floor.id}`,
      basis: "recorded",
      label: "10.0.0.1",
      evidence: [{ entity: "Binding", id: binding }],
    });
    const address = guest.ip_addresses[0]?.id;
    expect(edges.map(({ id, evidence }) => [id, evidence])).toEqual(
      expect.arrayContaining([
        [`address:${address}`, [{ entity: "IPAddress", id: address }]],
        [`runs-on:host:${guest.id}`, [{ entity: "Host", id: guest.id }]],
      ]),
    );
  });

  test("with detail=subnets, contains only subnets and the hosts in several of them", async () => {
    const map = await mapOf(scene, "&detail=subnets");
    expect(map.counts).toEqual({ nodes: 3, edges: 3, hosts: 4, hosts_in_no_subnet: 1 });
    expect(drawing(map)).toEqual({
      nodes: [
        ["Cellar", null],
        ["Floor", null],
        ["router", null],
      ],
      edges: [...addresses.slice(2), gateway],
    });
    const hosts = map.nodes.flatMap(({ details }) => ("hosts" in details ? details.hosts : []));
    expect(hosts).toEqual([2, 2]);
  });

  test("with a subnet or tags, contains only the hosts with them and their subnets", async () => {
    expect(drawing(await mapOf(scene, `&subnet_id=${scene.floor.id}`)).nodes).toEqual([
      ["Cellar", null],
      ["Floor", null],
      ["hypervisor", "Floor"],
      ["router", null],
    ]);
    const inventory = await openEmpty();
    const { organization, create, send } = inventory;
    await create("subnets", { cidr: "10.0.0.0/24", name: "Empty" });
    await create("subnets", { cidr: "10.0.1.0/24", name: "Floor" });
    const [tag, other] = organization.tags;
    const tagged = await create("hosts", {
      name: "tagged",
      tags: [tag],
      ip_addresses: [{ ip_address: "10.0.1.1" }],
    });
    await create("hosts", { name: "untagged", ip_addresses: [{ ip_address: "10.0.1.2" }] });
    const queryOf = (...tags: string[]) =>
      `&${new URLSearchParams(tags.map((one) => ["tag_ids", one]))}`;
    const nodes = [
      ["Floor", null],
      ["tagged", "Floor"],
    ];
    expect(drawing(await mapOf(inventory, queryOf(tag, other))).nodes).toEqual(nodes);
    expect(drawing(await mapOf(inventory, queryOf(other))).nodes).toEqual([]);
    // Tags have history, too.
    await send("PATCH", `hosts/${tagged.id}`, { tags: [] });
    const at = `&at=${tagged.valid_from}`;
    expect(drawing(await mapOf(inventory, queryOf(tag))).nodes).toEqual([]);
    expect(drawing(await mapOf(inventory, queryOf(tag) + at)).nodes).toEqual([
      ["Floor", null],
      ["tagged", "Floor"],
    ]);
  });
});

describe("the layer services", () => {
  test("contains open services, and closed ones that run something or run on something", async () => {
    const map = await mapOf(scene, "&layer=services");
    expect(map.counts).toEqual({ nodes: 8, edges: 2, hosts: 4, hosts_in_no_subnet: 1 });
    expect(drawing(map)).toEqual({
      nodes: [
        ["Docker", "hypervisor"],
        ["Forgejo", "hypervisor"],
        ["Gateway", "router"],
        ["Proxmox VE", "hypervisor"],
        ["guest", null],
        ["hypervisor", null],
        ["router", null],
        ["stray", null],
      ],
      edges: [
        ["RunsOn", "Forgejo", "Docker", "forgejo"],
        ["RunsOn", "guest", "Proxmox VE", "vm 100"],
      ],
    });
    const { container, hypervisor, network_id } = scene;
    expect(map.nodes).toContainEqual({
      id: `service:${container.id}`,
      type: "Service",
      record: { entity: "Service", id: container.id },
      label: "Forgejo",
      network_id,
      parent: `host:${hypervisor.id}`,
      details: { service_definition: "Forgejo", version: "Forgejo 9", is_open: false },
    });
  });

  test("measures the distance from a host in edges between hosts", async () => {
    const { guest } = scene;
    const around = await mapOf(scene, `&layer=services&host_id=${guest.id}`);
    expect(drawing(around).nodes.map(([label]) => label)).toEqual([
      "Docker",
      "Forgejo",
      "Proxmox VE",
      "guest",
      "hypervisor",
    ]);
  });
});

describe("the surroundings of a host", () => {
  test.each([
    ["1", ["Cellar", "guest", "hypervisor"]],
    ["2", ["Cellar", "Floor", "guest", "hypervisor", "router"]],
  ])("at depth %s are the nodes at most that many edges away", async (depth, labels) => {
    const map = await mapOf(scene, `&host_id=${scene.guest.id}&depth=${depth}`);
    expect(drawing(map).nodes.map(([label]) => label)).toEqual(labels);
    expect(map.counts.hosts).toBe(map.nodes.filter(({ type }) => type === "Host").length);
  });

  test("have a depth of 1 by default, and no parent outside of the map", async () => {
    const map = await mapOf(scene, `&host_id=${scene.guest.id}`);
    expect(drawing(map).nodes).toEqual([
      ["Cellar", null],
      ["guest", "Cellar"],
      ["hypervisor", null],
    ]);
  });

  test("are empty for an unknown host, and for one that did not exist at that instant", async () => {
    const unknown = await mapOf(scene, `&host_id=${crypto.randomUUID()}&depth=6`);
    expect(unknown).toMatchObject({ nodes: [], edges: [], counts: { hosts: 0 } });
    const before = await mapOf(scene, `&host_id=${scene.guest.id}&at=2001-01-01T00:00:00Z`);
    expect(before).toMatchObject({ nodes: [], at: "2001-01-01T00:00:00.000Z" });
  });
});

test("a map contains all networks by default, or only the given ones", async () => {
  const organization = await mintOrganization();
  const key = organization.keys.viewer;
  const ids = organization.networks.map(({ id }) => id);
  const read = async (query: string) => {
    const { body } = await openApi().send("GET", `/api/v1/topology${query}`, { key });
    return topologySchema.parse((body as { data: unknown }).data);
  };
  const all = await read("");
  expect(all).toMatchObject({ network_ids: ids.toSorted(), counts: { hosts: 2 } });
  expect(await read(`?network_id=${ids.join("&network_id=")}`)).toEqual(all);
  const [one = ""] = ids;
  expect(await read(`?network_id=${one}`)).toMatchObject({
    network_ids: [one],
    counts: { hosts: 1 },
  });
});

test("a map keeps the live ids of records whose versions have since been closed", async () => {
  const inventory = await openEmpty();
  const { create, replace, network_id } = inventory;
  await create("subnets", { cidr: "10.0.0.0/24", name: "Floor" });
  const host = await create("hosts", {
    name: "before",
    ip_addresses: [{ ip_address: "10.0.0.1" }],
  });
  await replace("hosts", host.id, { network_id, name: "after" });
  const past = await mapOf(inventory, `&at=${host.valid_from}`);
  const now = await mapOf(inventory);
  expect(past.nodes.map(({ id }) => id)).toEqual(now.nodes.map(({ id }) => id));
  expect(past.edges).toEqual(now.edges);
  expect([past, now].map(({ nodes }) => nodes.find(({ type }) => type === "Host")?.label)).toEqual([
    "before",
    "after",
  ]);
});

test("the entity tag changes with the map, and only with it", async () => {
  const { create, send, organization, network_id } = await openEmpty();
  const host = await create("hosts", { name: "one" });
  const key = organization.keys.viewer;
  const tagOf = async (query = "") => {
    const { headers } = await openApi().send("GET", pathOf(network_id, query), { key });
    return headers.get("ETag") ?? "";
  };
  const first = await tagOf();
  const ask = (etag: string) =>
    openApi().send("GET", pathOf(network_id), { key, headers: { "If-None-Match": etag } });
  expect(await ask(first)).toMatchObject({ status: 304, text: "" });
  // None of these fields is part of a map.
  await send("PATCH", `hosts/${host.id}`, { hidden: true, tags: [organization.tags[0]] });
  expect(await tagOf()).toBe(first);
  await send("PATCH", `hosts/${host.id}`, { name: "other" });
  expect(await ask(first)).toMatchObject({ status: 200 });
  expect(await tagOf()).not.toBe(first);
  expect(await tagOf(`&at=${host.valid_from}`)).not.toBe(first);
});

test("the map of an instant keeps its entity tag whatever changes later", async () => {
  const inventory = await openScene();
  const { send, organization, network_id } = inventory;
  const at = inventory.guest.valid_from;
  const ask = (etag?: string) =>
    openApi().send("GET", pathOf(network_id, `&at=${at}`), {
      key: organization.keys.viewer,
      headers: etag === undefined ? {} : { "If-None-Match": etag },
    });
  const then = await ask();
  const etag = then.headers.get("ETag") ?? "";
  const changes = [
    send("PATCH", `hosts/${inventory.router.id}`, { name: "renamed" }),
    send("DELETE", `hosts/${inventory.guest.id}`),
    send("DELETE", `hosts/${inventory.hypervisor.id}`),
    send("DELETE", `subnets/${inventory.cellar.id}`),
    send("PATCH", `subnets/${inventory.floor.id}`, { name: "renamed" }),
  ];
  expect((await Promise.all(changes)).map(({ status }) => status)).toEqual(Array(5).fill(200));
  expect((await mapOf(inventory)).nodes.map(({ label }) => label).sort()).toEqual([
    "renamed",
    "renamed",
    "stray",
  ]);
  expect(await ask(etag)).toMatchObject({ status: 304, text: "" });
  expect((await ask()).text).toBe(then.text);
});

test("takes one call", async () => {
  const api = openApi();
  await api.send("GET", pathOf(scene.network_id, `&depth=6&host_id=${scene.guest.id}`), {
    key: scene.organization.keys.viewer,
  });
  expect(await api.calls()).toBe(1);
});

test.each([
  ["layer=l4", "query.layer"],
  ["detail=ports", "query.detail"],
  ["layer=services&detail=subnets", "query.detail"],
  [`detail=subnets&host_id=${crypto.randomUUID()}`, "query.host_id"],
  ["depth=2", "query.depth"],
  [`host_id=${crypto.randomUUID()}&depth=0`, "query.depth"],
  [`host_id=${crypto.randomUUID()}&depth=7`, "query.depth"],
  ["vlan=4095", "query.vlan"],
  ["vlans=1", "query.vlans"],
  ["at=yesterday", "query.at"],
])("rejects %s", async (query, field) => {
  const { keys } = scene.organization;
  const answer = await openApi().send("GET", pathOf(scene.network_id, `&${query}`), {
    key: keys.viewer,
  });
  expect(answer).toMatchObject({
    status: 400,
    body: { code: "validation_failed", params: { issues: [{ path: field }] } },
  });
});

describe("a map of the maximum size is returned, and a larger one is rejected:", () => {
  const refused = (hosts: number, edges: number) => ({
    status: 409,
    body: { code: "topology_too_large", params: { hosts, edges } },
  });
  const ask = (query: string) =>
    openApi().send("GET", pathOf(scene.network_id, query), {
      key: scene.organization.keys.viewer,
    });

  test("hosts", async () => {
    topologyBounds.hosts = 4;
    expect(await ask("")).toMatchObject({ status: 200 });
    topologyBounds.hosts = 3;
    expect(await ask("")).toMatchObject(refused(4, 4));
    expect(await ask("&layer=services")).toMatchObject(refused(4, 0));
    // These are the ways to narrow it.
    expect(await ask("&detail=subnets")).toMatchObject({ status: 200 });
    expect(await ask(`&subnet_id=${scene.floor.id}`)).toMatchObject({ status: 200 });
    expect(await ask(`&host_id=${scene.guest.id}`)).toMatchObject({ status: 200 });
  });

  test("edges", async () => {
    topologyBounds.edges = 6;
    expect(await ask("")).toMatchObject({ status: 200 });
    topologyBounds.edges = 5;
    expect(await ask("")).toMatchObject(refused(4, 6));
    topologyBounds.edges = 3;
    expect(await ask("")).toMatchObject(refused(4, 4));
  });

  test("nodes with detail=subnets", async () => {
    topologyBounds.nodes = 3;
    expect(await ask("&detail=subnets")).toMatchObject({ status: 200 });
    topologyBounds.nodes = 2;
    expect(await ask("&detail=subnets")).toMatchObject(refused(4, 2));
  });

  test("bytes", async () => {
    const { text } = await ask("");
    topologyBounds.bytes = new TextEncoder().encode(text).length;
    expect(await ask("")).toMatchObject({ status: 200 });
    topologyBounds.bytes -= 1;
    expect(await ask("")).toMatchObject(refused(4, 6));
    // The database does not even assemble a map that is certain to be too large.
    topologyBounds.bytes = 700;
    expect(await ask("")).toMatchObject(refused(4, 4));
    expect(await ask(`&layer=services&subnet_id=${scene.floor.id}`)).toMatchObject(refused(2, 0));
  });
});
