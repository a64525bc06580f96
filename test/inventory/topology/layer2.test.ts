import { afterEach, describe, expect, test } from "vitest";
import {
  type Topology,
  topologyBounds,
  topologySchema,
} from "../../../src/inventory/topology/model.ts";
import { openApi } from "../../helpers/api.ts";
import { sql } from "../../helpers/database.ts";
import { openImports } from "../../imports/helpers.ts";

const mac = (last: number) => `02:00:5E:00:00:${last.toString(16).padStart(2, "0").toUpperCase()}`;

const byMac = (last: number) => ({ subtype: "MacAddress", value: mac(last) });
const byName = (value: string) => ({ subtype: "InterfaceName", value });
const local = (value: string) => ({ subtype: "LocallyAssigned", value });

const lldp = (chassis_id: object, more: object = {}) => ({
  protocol: "Lldp",
  chassis_id,
  ...more,
});

/** A network, functions that import hosts into it, and functions that read its layer 2 map. */
async function openNetwork() {
  const imports = await openImports();
  const { organization, network_id } = imports;
  const request = (query: string, accept = "application/json") =>
    openApi().send("GET", `/api/v1/topology?layer=l2&network_id=${network_id}${query}`, {
      key: organization.keys.viewer,
      headers: { Accept: accept },
    });
  const map = async (query = "") => {
    const answer = await request(query);
    expect(answer, query).toMatchObject({ status: 200 });
    return topologySchema.parse((answer.body as { data: unknown }).data);
  };
  return { ...imports, request, map };
}

/** A host with interfaces, and with an address derived from its number. */
const host = (number: number, name: string, interfaces: readonly object[], more: object = {}) => ({
  name,
  hostname: name,
  addresses: [{ ip_address: `10.0.0.${number}`, mac_address: mac(number) }],
  interfaces,
  ...more,
});

/** The edges as `type source target label: reasons`. */
function linksOf({ nodes, edges }: Topology) {
  const labels = new Map(nodes.map(({ id, label }) => [id, label]));
  return edges
    .map(({ type, source, target, label, evidence }) =>
      [
        type,
        // The order of a link's ends depends on random ids.
        ...(type === "Link"
          ? [labels.get(source), labels.get(target)].toSorted()
          : [labels.get(source), labels.get(target), label]),
        ...evidence.flatMap(({ says = [] }) => says).toSorted(),
      ].join(" "),
    )
    .toSorted();
}

test("connects the interfaces of hosts that hear each other once, whichever end reports", async () => {
  const { take, map, list } = await openNetwork();
  const ofSwitch = (neighbors: readonly object[]) =>
    host(1, "switch", [{ if_index: 1, name: "gi1", neighbors, complete: ["lldp"] }]);
  const ofRouter = (neighbors: readonly object[]) =>
    host(2, "router", [{ if_index: 7, name: "eth0", neighbors, complete: ["lldp"] }]);
  await take([ofSwitch([lldp(byMac(2), { port_id: byName("eth0") })]), ofRouter([])]);
  const one = await map();
  expect(linksOf(one)).toEqual(["Link router switch chassis_mac port_name"]);
  await take([ofSwitch([]), ofRouter([lldp(byMac(1), { port_id: byName("gi1") })])]);
  const other = await map();
  const withoutEvidence = ({ edges }: Topology) => edges.map(({ evidence: _, ...edge }) => edge);
  expect(withoutEvidence(other)).toEqual(withoutEvidence(one));
  await take([ofSwitch([lldp(byMac(2), { port_id: byName("eth0") })])]);
  const both = await map();
  expect(withoutEvidence(both)).toEqual(withoutEvidence(one));
  const neighbors = await list("neighbors");
  expect(both.edges[0]?.evidence.map(({ id }) => id).toSorted()).toEqual(
    neighbors.map(({ id }) => id).toSorted(),
  );
  const [edge] = both.edges;
  const interfaces = new Map((await list("interfaces")).map((known) => [known.id, known]));
  expect(edge).toMatchObject({ basis: "reported", type: "Link" });
  expect(interfaces.get(edge?.source_interface_id ?? "")?.host_id).toBe(edge?.source.slice(5));
  expect(interfaces.get(edge?.target_interface_id ?? "")?.host_id).toBe(edge?.target.slice(5));
  expect(both.counts).toMatchObject({ edges: 1, neighbors_ambiguous: 0, neighbors_unknown: 0 });
});

test.each([
  ["gi1", "Gi0/1", "gi1 - Gi0/1"],
  ["gi1", null, "gi1"],
  ["Uplink - core", null, "Uplink-core"],
  ["- gi1 -", " - a  -  b - ", "-gi1- - -a-b-"],
])("the label of an edge can be divided into %j and %j", async (name, port, label) => {
  const { take, map } = await openNetwork();
  const neighbors = [lldp(byMac(2), { port_id: port === null ? null : byName(port) })];
  await take([host(1, "switch", [{ if_index: 1, name, neighbors }])]);
  expect((await map()).edges).toMatchObject([{ type: "Adjacent", label }]);
});

test("two cables between two hosts are two edges", async () => {
  const { take, map } = await openNetwork();
  const ports = ["eth0", "eth1"];
  await take([
    host(
      1,
      "switch",
      ports.map((name, index) => ({
        if_index: index + 1,
        name: `gi${index}`,
        neighbors: [lldp(byMac(2), { port_id: byName(name) })],
      })),
    ),
    host(
      2,
      "server",
      ports.map((name, index) => ({ if_index: index + 1, name })),
    ),
  ]);
  expect(linksOf(await map())).toHaveLength(2);
});

describe("a neighbor is the host", () => {
  /**
   * Imports a switch with this neighbor, and other hosts. Returns the links on the map, and how
   * many neighbors are ambiguous and unknown.
   */
  async function linksWith(neighbor: object, ...others: object[]) {
    const { take, map } = await openNetwork();
    const neighbors = [{ protocol: "Lldp", chassis_id: local("x"), ...neighbor }];
    await take([host(1, "switch", [{ if_index: 1, name: "gi1", neighbors }]), ...others]);
    const drawn = await map();
    const { neighbors_ambiguous, neighbors_unknown } = drawn.counts;
    return [...linksOf(drawn), neighbors_ambiguous, neighbors_unknown];
  }
  const server = (more: object = {}) => host(2, "server", [{ if_index: 1, name: "eth0" }], more);
  const other = (more: object = {}) => host(3, "other", [], more);

  test.each<[string, object, object[], string]>([
    ["whose address has its MAC address", { chassis_id: byMac(2) }, [server()], "chassis_mac"],
    [
      "whose interface has its MAC address",
      { chassis_id: byMac(9) },
      [host(2, "server", [{ if_index: 1, mac_address: mac(9) }])],
      "chassis_mac",
    ],
    [
      "that has its chassis address",
      { chassis_id: { subtype: "NetworkAddress", value: "10.0.0.2" } },
      [server()],
      "management_address",
    ],
    [
      "that has its management address",
      { management_addresses: ["192.0.2.1", "10.0.0.2"] },
      [server()],
      "management_address",
    ],
    ["that has its name, whatever its case", { system_name: "SERVER" }, [server()], "system_name"],
    [
      "that has the first label of its name",
      { system_name: "server.example.com" },
      [server()],
      "system_name",
    ],
    [
      "that the first clue finds, even if the next one finds another",
      { chassis_id: byMac(2), system_name: "other" },
      [server(), other()],
      "chassis_mac",
    ],
    [
      "that the next clue finds, if the first one finds the reporting host or a shared MAC address",
      { chassis_id: byMac(1), system_name: "server" },
      [server()],
      "system_name",
    ],
    [
      "that the next clue finds, if hosts share its MAC address",
      { chassis_id: { subtype: "MacAddress", value: "00:00:5E:00:01:07" }, system_name: "server" },
      [server({ addresses: [{ ip_address: "10.0.0.2", mac_address: "00:00:5E:00:01:07" }] })],
      "system_name",
    ],
  ])("%s", async (_, neighbor, others, reason) => {
    expect(await linksWith(neighbor, ...others)).toEqual([
      `Adjacent switch server gi1 ${reason}`,
      0,
      0,
    ]);
  });

  test.each<[string, object, object[]]>([
    [
      "a MAC address",
      { chassis_id: byMac(9) },
      [9, 8].map((number) =>
        host(number, `host ${number}`, [{ if_index: 1, mac_address: mac(9) }], {}),
      ),
    ],
    ["a name", { system_name: "server" }, [server(), other({ hostname: "server" })]],
    [
      "addresses",
      { management_addresses: ["10.0.0.2", "10.0.0.3"], system_name: "server" },
      [server(), other()],
    ],
  ])("and never one of several that have %s", async (_, neighbor, others) => {
    const [link, ...counts] = await linksWith(neighbor, ...others);
    expect(link).toMatch(/^Adjacent switch (x|server|02:00:5E:00:00:09) gi1$/);
    expect(counts).toEqual([1, 0]);
  });

  test("and an unknown device if no host has what it announces", async () => {
    expect(await linksWith({ system_name: "stray", port_id: byName("p1") }, server())).toEqual([
      "Adjacent switch stray gi1 - p1",
      0,
      1,
    ]);
  });

  test.each<[string, object, string]>([
    ["its name", { port_id: byName("eth0") }, "port_name"],
    ["its alias", { port_id: { subtype: "InterfaceAlias", value: "uplink" } }, "port_name"],
    ["its MAC address", { port_id: byMac(9) }, "port_mac"],
  ])("with the interface that the port announces by %s", async (_, port, reason) => {
    const interfaces = [
      { if_index: 1, name: "eth0", alias: "uplink", mac_address: mac(9) },
      { if_index: 2, name: "ETH0", alias: "Uplink", mac_address: mac(8) },
    ];
    const links = await linksWith({ chassis_id: byMac(2), ...port }, host(2, "server", interfaces));
    expect(links).toEqual([`Link server switch chassis_mac ${reason}`, 0, 0]);
  });

  test("without an interface if several have the announced name", async () => {
    const interfaces = [1, 2].map((if_index) => ({ if_index, name: "eth0" }));
    const port = { chassis_id: byMac(2), port_id: byName("eth0") };
    expect(await linksWith(port, host(2, "server", interfaces))).toEqual([
      "Adjacent switch server gi1 - eth0 chassis_mac",
      0,
      0,
    ]);
  });

  test("with the only interface that hears the reporting host", async () => {
    const hears = (if_index: number) => ({
      if_index,
      name: `e${if_index}`,
      neighbors: [lldp(byMac(1))],
    });
    const heard = { chassis_id: byMac(2) };
    expect(await linksWith(heard, host(2, "server", [hears(4)]))).toEqual([
      "Link server switch chassis_mac chassis_mac reciprocal reciprocal",
      0,
      0,
    ]);
    expect(await linksWith(heard, host(2, "server", [hears(4), hears(5)]))).toEqual([
      "Adjacent server switch e4 chassis_mac",
      "Adjacent server switch e5 chassis_mac",
      "Adjacent switch server gi1 chassis_mac",
      0,
      0,
    ]);
  });
});

test("a host that only one MAC address on a port stands for is inferred", async () => {
  const { take, map } = await openNetwork();
  const table = (if_index: number, last: number) => ({
    if_index,
    name: `gi${if_index}`,
    learned_macs: [mac(last)],
    complete: ["fdb"],
  });
  await take([host(1, "switch", [table(1, 2), table(2, 9)]), host(2, "printer", [])]);
  const drawn = await map();
  expect(linksOf(drawn)).toEqual([
    `Learned switch ${mac(9)} gi2`,
    "Learned switch printer gi1 single_mac",
  ]);
  expect(drawn.edges.map(({ basis }) => basis)).toEqual(["inferred", "inferred"]);
});

test("neighbors are matched within their network, and an unknown device is one node", async () => {
  const one = await openNetwork();
  const other = await openNetwork();
  await other.take([host(2, "server", [])]);
  const hears = { name: "gi1", neighbors: [lldp(byMac(2), { system_name: "server" })] };
  await one.take([
    host(1, "switch", [{ if_index: 1, ...hears }]),
    host(3, "upstairs", [{ if_index: 1, ...hears }]),
  ]);
  const { nodes, edges, counts } = await one.map();
  const unknown = nodes.filter(({ type }) => type === "Unknown");
  expect(unknown).toMatchObject([
    { record: null, label: "server", parent: null, details: { chassis_id: byMac(2) } },
  ]);
  expect(edges.map(({ target }) => target)).toEqual([unknown[0]?.id, unknown[0]?.id]);
  expect(counts).toMatchObject({ hosts: 2, nodes: 3, neighbors_unknown: 2 });
});

/** A chain of hosts: each detects the next one, and the last one detects an unknown device. */
async function openChain() {
  const network = await openNetwork();
  await network.take(
    [1, 2, 3, 4].map((number) =>
      host(number, `host ${number}`, [
        {
          if_index: 1,
          name: "down",
          native_vlan: number === 4 ? 30 : 20,
          tagged_vlans: number === 2 ? [30] : [],
          neighbors: [lldp(byMac(number + 1))],
        },
      ]),
    ),
  );
  await network.take([host(90, "stray", [])]);
  const hosts = await network.list("hosts");
  const idOf = (name: string) => hosts.find((one) => one.name === name)?.id ?? "";
  return { ...network, idOf };
}

const labelsOf = ({ nodes }: Topology) => nodes.map(({ label }) => label).toSorted();

test("around a host are the nodes at most as many edges away as depth says", async () => {
  const { map, idOf } = await openChain();
  const around = async (name: string, depth: number) =>
    labelsOf(await map(`&host_id=${idOf(name)}&depth=${depth}`));
  expect(await around("host 2", 1)).toEqual(["host 1", "host 2", "host 3"]);
  expect(await around("host 1", 3)).toEqual(["host 1", "host 2", "host 3", "host 4"]);
  expect(await around("host 4", 1)).toEqual([mac(5), "host 3", "host 4"]);
  expect(await around("stray", 6)).toEqual(["stray"]);
  const { counts } = await map(`&host_id=${idOf("host 4")}`);
  expect(counts).toMatchObject({ hosts: 2, edges: 2, hosts_in_no_subnet: 2, neighbors_unknown: 1 });
  expect(labelsOf(await map(`&host_id=${crypto.randomUUID()}`))).toEqual([]);
});

test("a VLAN has the hosts with an interface in it, and the edges between them", async () => {
  const { map, request } = await openChain();
  expect(labelsOf(await map("&vlan=30"))).toEqual([mac(5), "host 2", "host 4"]);
  expect(linksOf(await map("&vlan=20"))).toHaveLength(2);
  expect(labelsOf(await map("&vlan=4094"))).toEqual([]);
  for (const vlan of ["0", "4095", "x"]) {
    expect(await request(`&vlan=${vlan}`)).toMatchObject({ status: 400 });
  }
});

test("the other layers have the hosts in a VLAN, too", async () => {
  const { organization, network_id } = await openChain();
  const answer = await openApi().send("GET", `/api/v1/topology?network_id=${network_id}&vlan=30`, {
    key: organization.keys.viewer,
  });
  const data = topologySchema.parse((answer.body as { data: unknown }).data);
  expect(labelsOf(data)).toEqual(["host 2", "host 4"]);
});

test("a map of the past shows who was heard then, and does not change", async () => {
  const { take, map, request, list } = await openNetwork();
  const see = (last: number) =>
    take([
      host(1, "switch", [
        { if_index: 1, name: "gi1", neighbors: [lldp(byMac(last))], complete: ["lldp"] },
      ]),
      host(2, "server", []),
      host(3, "printer", []),
    ]);
  await see(2);
  const [seen] = await list("neighbors");
  const at = `&at=${seen?.created_at}`;
  const before = await request(at);
  await see(3);
  await take([{ ...host(2, "renamed", []), addresses: [{ ip_address: "10.0.0.2" }] }]);
  expect(linksOf(await map())).toEqual(["Adjacent switch printer gi1 chassis_mac"]);
  expect(linksOf(await map(at))).toEqual(["Adjacent switch server gi1 chassis_mac"]);
  const after = await request(at);
  expect(after.text).toBe(before.text);
  expect(after.headers.get("ETag")).toBe(before.headers.get("ETag"));
});

test("detail=subnets is not part of the layer", async () => {
  const { request } = await openNetwork();
  expect(await request("&detail=subnets")).toMatchObject({ status: 400 });
});

test("a network with more than 5,000 hosts is too large, and one of its hosts is not", {
  timeout: 60_000,
}, async () => {
  const { organization, network_id, request, idOf } = await openChain();
  await sql`insert into hosts (organization_id, network_id, name)
    select ${organization.id}, ${network_id}, 'host' from generate_series(1, ${topologyBounds.hosts - 4})`;
  expect(await request("")).toMatchObject({
    status: 409,
    body: { code: "topology_too_large", params: { hosts: topologyBounds.hosts + 1 } },
  });
  const around = await request(`&host_id=${idOf("host 1")}`);
  expect(around).toMatchObject({ status: 200, body: { data: { counts: { nodes: 2 } } } });
});

describe("a map of the layer l2 is too large", () => {
  const usual = { ...topologyBounds };
  afterEach(() => {
    Object.assign(topologyBounds, usual);
  });

  test("beyond the maximum number of neighbors, and of their bytes", async () => {
    const { request } = await openChain();
    topologyBounds.neighbors = 4;
    expect(await request("")).toMatchObject({ status: 200 });
    topologyBounds.neighbors = 3;
    expect(await request("")).toMatchObject({
      status: 409,
      body: { code: "topology_too_large", params: { hosts: 5, edges: 4 } },
    });
    Object.assign(topologyBounds, usual, { neighborBytes: 4 * 50 });
    expect(await request("")).toMatchObject({ status: 409 });
    topologyBounds.neighborBytes = 4 * 600;
    expect(await request("")).toMatchObject({ status: 200 });
  });
});

test("the text forms draw unknown devices and links", async () => {
  const { request } = await openChain();
  const mermaid = await request("", "text/vnd.mermaid");
  expect(mermaid.text).toContain(`{{"${mac(5)}"}}`);
  expect(mermaid.text.match(/ ---\|/g)).toHaveLength(4);
  const graphviz = await request("", "text/vnd.graphviz");
  expect(graphviz.text).toContain("shape=hexagon");
  expect(graphviz.text.match(/dir=none/g)).toHaveLength(4);
});
