import { afterEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { topologyBounds } from "../../../src/inventory/topology/model.ts";
import {
  type TopologyData,
  topologyDataSchema,
} from "../../../src/inventory/topology/views/model.ts";
import { mintEmptyNetwork, openInventory } from "../../helpers/inventory.ts";

const usual = { ...topologyBounds };
afterEach(() => {
  Object.assign(topologyBounds, usual);
});

/**
 * Two subnets, a router in both, a guest and its hypervisor, and two switches that announce
 * themselves to each other.
 */
async function openScene() {
  const opened = await openInventory();
  const network_id = await mintEmptyNetwork(opened.organization.id);
  const create: typeof opened.create = (name, json) =>
    opened.create(name, name === "hosts" || name === "subnets" ? { network_id, ...json } : json);
  const floor = await create("subnets", { cidr: "10.0.0.0/24", name: "Floor" });
  const cellar = await create("subnets", { cidr: "10.0.1.0/24" });
  const router = await create("hosts", {
    name: "router",
    ip_addresses: [
      { ip_address: "10.0.0.1" },
      { ip_address: "10.0.1.1" },
      { ip_address: "172.16.0.1" },
    ],
  });
  const hypervisor = await create("hosts", {
    name: "hypervisor",
    ip_addresses: [{ ip_address: "10.0.0.2" }],
    services: [{ name: "Proxmox VE" }],
  });
  const guest = await create("hosts", {
    name: "guest",
    ip_addresses: [{ ip_address: "10.0.1.2" }],
    virtualization: {
      type: "Proxmox",
      details: { vm_name: "vm-7", service_id: hypervisor.services[0]?.id },
    },
  });
  const switches = [];
  for (const number of [1, 2]) {
    const { interfaces, ...one } = await create("hosts", {
      name: `switch ${number}`,
      sys_name: `switch-${number}`,
      interfaces: [{ if_index: 1, name: `gi${number}` }, { if_index: 2 }],
    });
    switches.push({ ...one, port: interfaces[0]?.id ?? "", other: interfaces[1]?.id ?? "" });
  }
  const [near, far] = switches;
  if (!near || !far) {
    throw new Error("The scene needs two switches.");
  }
  const announce = (interface_id: string, system_name: string, port?: string) =>
    create("neighbors", {
      interface_id,
      protocol: "Lldp",
      chassis_id: { subtype: "LocallyAssigned", value: system_name },
      system_name,
      ...(port !== undefined && { port_id: { subtype: "InterfaceName", value: port } }),
    });
  await announce(near.port, "switch-2", "gi2");
  await announce(far.port, "switch-1", "gi1");
  await announce(near.other, "switch-2");
  await announce(far.other, "stranger");
  const send = (path: string, headers: Record<string, string> = {}) =>
    opened.api.send("GET", `/api/v1/${path}`, { key: opened.organization.keys.viewer, headers });
  const data = async (query = "") => {
    const answer = await send(`topology/data?network_id=${network_id}${query}`);
    expect(answer).toMatchObject({ status: 200 });
    return topologyDataSchema.parse(z.object({ data: z.unknown() }).parse(answer.body).data);
  };
  return {
    ...opened,
    network_id,
    create,
    send,
    data,
    floor,
    cellar,
    router,
    hypervisor,
    guest,
    near,
    far,
  };
}

/** The edges of a view, with the headers of their ends in order. */
function edgesOf({ nodes, edges }: TopologyData, view: "L3Logical" | "L2Physical") {
  const headers = new Map(nodes[view].map(({ id, header }) => [id, header]));
  return edges[view]
    .map(({ edge_type, source, target }) => [
      edge_type,
      ...[headers.get(source), headers.get(target)].sort(),
    ])
    .sort();
}

test("the logical view shows addresses in subnets, connected by host and by hypervisor", async () => {
  const { data, floor, cellar, router } = await openScene();
  const map = await data();
  const nodes = map.nodes.L3Logical;
  expect(nodes.filter(({ node_type }) => node_type === "Container")).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: floor.id, header: "Floor (10.0.0.0/24)" }),
      expect.objectContaining({ id: cellar.id, header: "10.0.1.0/24" }),
    ]),
  );
  const addressOf = (text: string) =>
    router.ip_addresses.find(({ ip_address }) => ip_address === text);
  const [inFloor, inNone] = [addressOf("10.0.0.1"), addressOf("172.16.0.1")];
  expect(nodes.find(({ id }) => id === inFloor?.id)).toEqual({
    id: inFloor?.id,
    node_type: "Element",
    element_type: "IPAddress",
    container_id: floor.id,
    host_id: router.id,
    subnet_id: floor.id,
    ip_address_id: inFloor?.id,
    header: "router",
    position: { x: 0, y: 0 },
    size: { x: 0, y: 0 },
  });
  expect(nodes.map(({ id }) => id)).not.toContain(inNone?.id);
  expect(map.ip_addresses).toContainEqual({
    id: inNone?.id,
    host_id: router.id,
    subnet_id: null,
    ip_address: "172.16.0.1",
  });
  expect(edgesOf(map, "L3Logical")).toEqual([
    ["Hypervisor", "guest", "hypervisor"],
    ["SameHost", "router", "router"],
  ]);
});

test("the physical view shows interfaces on hosts, and leaves out unknown devices", async () => {
  const { data, near, far } = await openScene();
  const map = await data();
  expect(map.available_views).toEqual(["L3Logical", "L2Physical"]);
  expect(edgesOf(map, "L2Physical")).toEqual([
    ["NeighborLink", "switch 1", "switch 2"],
    ["PhysicalLink", "gi1", "gi2"],
  ]);
  expect(map.edges.L2Physical.map((edge) => "protocol" in edge && edge.protocol)).toEqual([
    "LLDP",
    "LLDP",
  ]);
  expect(map.nodes.L2Physical.map(({ id }) => id).sort()).toEqual(
    [near.id, near.port, far.id, far.port].sort(),
  );
  expect(map.interfaces.map(({ if_name }) => if_name).sort()).toEqual(["gi1", "gi2"]);
});

test("every edge connects two nodes of its view, and every id occurs once", async () => {
  const map = await (await openScene()).data();
  for (const view of ["L3Logical", "L2Physical"] as const) {
    const ids = map.nodes[view].map(({ id }) => id);
    const ends = map.edges[view].flatMap(({ source, target }) => [source, target]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ends.filter((end) => !ids.includes(end))).toEqual([]);
    const edgeIds = map.edges[view].map(({ id }) => id);
    expect(new Set(edgeIds).size).toBe(edgeIds.length);
  }
});

test("a map without links has no physical view, and its ETag stays the same", async () => {
  const { api, organization, create } = await openInventory();
  await create("hosts", { name: "alone" });
  const { key, path } = {
    key: organization.keys.viewer,
    path: `/api/v1/topology/data?network_id=${organization.networks[0].id}`,
  };
  const first = await api.send("GET", path, { key });
  expect(first).toMatchObject({ status: 200, body: { data: { available_views: ["L3Logical"] } } });
  const headers = { "If-None-Match": first.headers.get("etag") ?? "" };
  expect((await api.send("GET", path, { key, headers })).status).toBe(304);
});

test("at an instant, the map is that of the instant", async () => {
  const { data, guest, remove } = await openScene();
  const before = await data();
  const at = new Date(Date.now() + 1).toISOString();
  await new Promise((resolve) => setTimeout(resolve, 5));
  await remove("hosts", guest.id);
  expect((await data()).hosts.map(({ name }) => name)).not.toContain("guest");
  expect(await data(`&at=${at}`)).toEqual(before);
});

test("a map beyond the limits is rejected", async () => {
  const { send, network_id, data } = await openScene();
  const { hosts } = await data();
  topologyBounds.hosts = hosts.length - 1;
  expect(await send(`topology/data?network_id=${network_id}`)).toMatchObject({
    status: 409,
    body: { code: "topology_too_large", params: { hosts: hosts.length } },
  });
  topologyBounds.hosts = hosts.length;
  topologyBounds.bytes = 2000;
  expect((await send(`topology/data?network_id=${network_id}`)).status).toBe(409);
});

test("the error of a map beyond the limits counts the edges of the layer that has more", async () => {
  const { send, network_id, guest, remove } = await openScene();
  await remove("hosts", guest.id);
  // Four neighbors, but only three addresses in subnets.
  topologyBounds.neighbors = 3;
  expect(await send(`topology/data?network_id=${network_id}`)).toMatchObject({
    status: 409,
    body: { code: "topology_too_large", params: { edges: 4 } },
  });
});

describe("as Mermaid", () => {
  test.each([
    ["", /Floor 10\.0\.0\.0\/24/],
    ["?view=L3Logical", /Floor 10\.0\.0\.0\/24/],
    ["?view=L2Physical", /gi1 - gi2/],
    ["?view=Workloads", /hypervisor/],
  ])("exports the view of the query '%s'", async (query, expected) => {
    const { send, network_id } = await openScene();
    const { status, headers, text } = await send(`topology/${network_id}/export/mermaid${query}`);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(text).toMatch(/^flowchart LR\n/);
    expect(text).toMatch(expected);
  });

  test("rejects a view that does not exist", async () => {
    const { send, network_id } = await openScene();
    expect(await send(`topology/${network_id}/export/mermaid?view=Application`)).toMatchObject({
      status: 400,
      body: { code: "validation_failed" },
    });
  });
});

test("GET /topology with a limit lists the topologies, and without one returns the map", async () => {
  const { send, network_id } = await openScene();
  const query = `network_id=${network_id}`;
  const list = await send(`topology?limit=200&offset=0&${query}`, { "X-Request-Id": "mine" });
  const [topology] = z.object({ data: z.array(z.unknown()) }).parse(list.body).data;
  expect(list.headers.get("x-request-id")).toBe("mine");
  expect(topology).toMatchObject({
    id: network_id,
    network_id,
    name: "Empty",
    views: ["L3Logical", "L2Physical", "Workloads"],
  });
  expect((await send(`topologies?${query}`)).body).toMatchObject({ data: [topology] });
  expect(await send(`topology?${query}`)).toMatchObject({
    status: 200,
    body: { data: { layer: "l3" } },
  });
});

test("lists one topology per network, in pages", async () => {
  const { send } = await openScene();
  const names = [];
  for (let offset = 0; offset < 10; offset++) {
    const { body } = await send(`topologies?limit=1&offset=${offset}`);
    const page = z
      .object({
        data: z.array(z.object({ id: z.string() })),
        meta: z.object({ pagination: z.object({ has_more: z.boolean() }) }),
      })
      .parse(body);
    names.push(...page.data.map(({ id }) => id));
    if (!page.meta.pagination.has_more) {
      break;
    }
  }
  const { body } = await send("networks");
  const { data: networks } = z.object({ data: z.array(z.object({ id: z.string() })) }).parse(body);
  expect(names).toEqual(networks.map(({ id }) => id));
});
