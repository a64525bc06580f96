import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Topology } from "../../src/client/app.d.ts";
import {
  columnsFor,
  type Layout,
  layoutOf,
  nearest,
  overlaps,
} from "../../src/explore/map/layout.ts";
import type { Area } from "../../src/explore/map/parts.ts";
import {
  addressKey,
  neighborsOf,
  type Scene,
  sceneOf,
  withPlacesOf,
} from "../../src/explore/map/scene.ts";

const network = "00000000-0000-7000-8000-000000000001";
const nameOf = (id: string) => `Network ${id.slice(-1)}`;
const columns = { ofNetwork: 3, ofMap: 6 };

interface Described {
  subnets?: Record<string, string>;
  /** Hosts with their addresses, each as `subnet address` or as an address alone. */
  hosts?: Record<string, string[]>;
  runsOn?: [string, string][];
  networkOf?: (name: string) => string;
}

/** Returns a map whose ids are derived from names. */
function mapOf({ subnets = {}, hosts = {}, runsOn = [], networkOf }: Described): Topology {
  const record = (entity: "Host" | "Subnet", id: string) => ({ entity, id });
  const placed = Object.entries(hosts).map(([name, addresses]) => ({
    name,
    addresses: addresses.map((text) => text.split(" ").at(-1) ?? ""),
    in: addresses.flatMap((text) => {
      const [subnet = "", address] = text.split(" ");
      return address === undefined ? [] : [{ subnet, address }];
    }),
  }));
  const nodes: Topology["nodes"] = [
    ...Object.entries(subnets).map(([name, cidr]) => ({
      id: `subnet:${name}`,
      type: "Subnet" as const,
      record: record("Subnet", name),
      label: name,
      network_id: networkOf?.(name) ?? network,
      parent: null,
      details: { cidr, subnet_type: "Lan" as const, hosts: 1, addresses: 1 },
    })),
    ...placed.map((host) => {
      const homes = new Set(host.in.map(({ subnet }) => subnet));
      const [home] = homes;
      return {
        id: `host:${host.name}`,
        type: "Host" as const,
        record: record("Host", host.name),
        label: host.name,
        network_id: networkOf?.(host.name) ?? network,
        parent: homes.size === 1 ? `subnet:${home}` : null,
        details: { addresses: host.addresses, services: 1, operating_system: null },
      };
    }),
  ];
  const edges: Topology["edges"] = [
    ...placed.flatMap(({ name, in: all }) =>
      all.map(({ subnet, address }) => ({
        id: `address:${name} ${address}`,
        type: "Address" as const,
        source: `host:${name}`,
        target: `subnet:${subnet}`,
        basis: "recorded" as const,
        label: address,
        evidence: [record("Host", name)],
      })),
    ),
    ...runsOn.map(([source, target]) => ({
      id: `runs-on:${source}`,
      type: "RunsOn" as const,
      source: `host:${source}`,
      target: `host:${target}`,
      basis: "recorded" as const,
      label: null,
      evidence: [record("Host", source)],
    })),
  ];
  return {
    at: null,
    network_ids: [network],
    layer: "l3",
    detail: "hosts",
    nodes,
    edges,
    counts: { nodes: nodes.length, edges: edges.length, hosts: 0, hosts_in_no_subnet: 0 },
  };
}

interface DescribedLayer2 {
  /** Hosts with their addresses. */
  hosts: Record<string, string>;
  unknown?: string[];
  /** Each as `type source target label`; the label may be absent. */
  edges: string[];
  networkOf?: (name: string) => string;
}

/** Returns a layer 2 map whose ids are derived from names. */
function layer2Of({ hosts, unknown = [], edges: all, networkOf }: DescribedLayer2): Topology {
  const isUnknown = new Set(unknown);
  const idOf = (name: string) => (isUnknown.has(name) ? `unknown:${name}` : `host:${name}`);
  const typeOf = (text: string) =>
    (["Link", "Adjacent", "Learned"] as const).find((type) => type === text) ?? "Link";
  const nodes: Topology["nodes"] = [
    ...Object.entries(hosts).map(([name, address]) => ({
      id: idOf(name),
      type: "Host" as const,
      record: { entity: "Host" as const, id: name },
      label: name,
      network_id: networkOf?.(name) ?? network,
      parent: null,
      details: { addresses: address ? [address] : [], services: 1, operating_system: null },
    })),
    ...unknown.map((name) => ({
      id: idOf(name),
      type: "Unknown" as const,
      record: null,
      label: name,
      network_id: networkOf?.(name) ?? network,
      parent: null,
      details: {
        chassis_id: { subtype: "LocallyAssigned" as const, value: name },
        system_name: name,
        system_description: null,
        management_addresses: [],
      },
    })),
  ];
  const edges = all.map((text) => {
    const [type = "", source = "", target = "", ...label] = text.split(" ");
    return {
      id: text,
      type: typeOf(type),
      source: idOf(source),
      target: idOf(target),
      basis: "reported" as const,
      label: label.join(" ") || null,
      evidence: [{ entity: "Neighbor" as const, id: text, says: [] }],
    };
  });
  return {
    at: null,
    network_ids: [network],
    layer: "l2",
    detail: "hosts",
    nodes,
    edges,
    counts: {
      nodes: nodes.length,
      edges: edges.length,
      hosts: Object.keys(hosts).length,
      hosts_in_no_subnet: 0,
    },
  };
}

/** Random layer 2 maps with trees, rings, unknown devices and hosts without neighbors. */
const layer2MapsOf = (networks: number) =>
  fc
    .record({
      hosts: fc.uniqueArray(fc.nat(40), { minLength: 1, maxLength: 41, size: "medium" }),
      unknown: fc.uniqueArray(fc.integer({ min: 41, max: 48 }), { maxLength: 8 }),
      pairs: fc.array(fc.tuple(fc.nat(40), fc.nat(48), fc.nat(2)), {
        maxLength: 60,
        size: "medium",
      }),
    })
    .map(({ hosts, unknown, pairs }) => {
      const networkOf = (name: string) =>
        `${network.slice(0, -1)}${(Number(name.slice(1)) % networks) + 1}`;
      const devices = [...hosts, ...unknown];
      const edges = pairs
        .map(([from, to, type]) => [
          `d${hosts[from % hosts.length]}`,
          `d${devices[to % devices.length]}`,
          ["Link", "Adjacent", "Learned"][type],
        ])
        .filter(([from = "", to = ""]) => from !== to && networkOf(from) === networkOf(to))
        .map(([from, to, type]) => `${type} ${from} ${to} ge-${from} - ge-${to}`);
      return layer2Of({
        hosts: Object.fromEntries(
          hosts.map((index) => [`d${index}`, index % 5 === 0 ? "" : `10.0.0.${index}`]),
        ),
        unknown: unknown.map((index) => `d${index}`),
        edges: [...new Set(edges)],
        networkOf,
      });
    });

const lay = (scene: Scene) => layoutOf(scene, columns, nameOf);
const layMap = (described: Described) => lay(sceneOf(mapOf(described)));

const positions = ({ cards }: Layout) =>
  Object.fromEntries(cards.map(({ place, x, y }) => [place.node.label, { x, y }]));

const isInside = (inner: Area, outer: Area) =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

/** Random maps with hosts in no subnet, in one or in several, in up to three networks. */
const mapsOf = (networks: number) =>
  fc
    .record({
      subnets: fc.integer({ min: 0, max: 12 }),
      hosts: fc.array(fc.array(fc.nat(11), { maxLength: 3 }), { maxLength: 60 }),
      guests: fc.array(fc.tuple(fc.nat(59), fc.nat(59)), { maxLength: 10 }),
    })
    .map(({ subnets, hosts, guests }) => {
      const networkOf = (name: string) => {
        const index = Number(name.replace(/\D/g, "")) % networks;
        return `${network.slice(0, -1)}${index + 1}`;
      };
      const described = {
        subnets: Object.fromEntries(
          Array.from({ length: subnets }, (_, index) => [`s${index}`, `10.${20 - index}.0.0/24`]),
        ),
        hosts: Object.fromEntries(
          hosts.map((homes, index) => {
            // A host is only in subnets of its own network.
            const own = [...new Set(homes)].filter(
              (home) => home < subnets && networkOf(`s${home}`) === networkOf(`h${index}`),
            );
            return [`h${index}`, own.map((home) => `s${home} 10.${20 - home}.0.${index + 1}`)];
          }),
        ),
        runsOn: guests
          .filter(([guest, host]) => guest !== host && guest < hosts.length && host < hosts.length)
          .map(([guest, host]): [string, string] => [`h${guest}`, `h${host}`]),
        networkOf,
      };
      return mapOf(described);
    });

const networkCounts = fc.integer({ min: 1, max: 3 });
const maps = networkCounts.chain(mapsOf);

describe("the scene of a map", () => {
  test("sorts addresses as numbers, IPv4 first", () => {
    const sorted = [
      "9.0.0.1",
      "10.0.0.2",
      "10.0.0.10",
      "::1",
      "2001:db8::",
      "2001:db8::ff",
      "2001:db8:0:1::",
      "fe80::1",
    ];
    expect(
      [...sorted].reverse().sort((one, other) => (addressKey(one) < addressKey(other) ? -1 : 1)),
    ).toEqual(sorted);
    expect(addressKey("::ffff:192.0.2.1")).toBe(addressKey("::ffff:c000:201"));
  });

  test("sorts hosts by address, whatever their names", () => {
    const { cards } = layMap({
      subnets: { lan: "10.0.0.0/24" },
      hosts: { zebra: ["lan 10.0.0.2"], ant: ["lan 10.0.0.10"], bear: ["lan 10.0.0.9"] },
    });
    expect(cards.map(({ place }) => place.node.label)).toEqual(["zebra", "bear", "ant"]);
  });

  test("sorts hosts without an address by name, and numbers in names as numbers", () => {
    const { cards } = layMap({ hosts: { "floor-10": [], "floor-2": [], attic: [] } });
    expect(cards.map(({ place }) => place.node.label)).toEqual(["attic", "floor-2", "floor-10"]);
  });
});

describe("the layout of a map", () => {
  test("is the same for the same graph, whatever the order of its nodes and edges", () => {
    fc.assert(
      fc.property(maps, (map) => {
        const shuffled = { ...map, nodes: map.nodes.toReversed(), edges: map.edges.toReversed() };
        const [one, other] = [lay(sceneOf(shuffled)), lay(sceneOf(map))];
        const paths = ({ lines }: Layout) => lines.map(({ path }) => path).sort();
        expect({ ...one, lines: paths(one) }).toEqual({ ...other, lines: paths(other) });
      }),
    );
  });

  test("draws every host once, without overlaps, and inside the map", () => {
    fc.assert(
      fc.property(maps, (map) => {
        const layout = lay(sceneOf(map));
        const { cards, boxes, width, height } = layout;
        const hosts = map.nodes.filter(({ type }) => type === "Host").map(({ id }) => id);
        expect(cards.map(({ id }) => id).sort()).toEqual(hosts.sort());
        const whole = { x: 0, y: 0, width, height };
        for (const [index, box] of boxes.entries()) {
          expect(isInside(box, whole)).toBe(true);
          expect(boxes.slice(index + 1).filter((other) => overlaps(box, other))).toEqual([]);
        }
        for (const [index, card] of cards.entries()) {
          expect(isInside(card, whole)).toBe(true);
          expect(cards.slice(index + 1).filter((other) => overlaps(card, other))).toEqual([]);
          const touched = boxes.filter((box) => overlaps(box, card));
          expect(touched.every((box) => isInside(card, box))).toBe(true);
        }
      }),
    );
  });

  test("places a host inside its only subnet, and a host in several subnets outside all of them", () => {
    fc.assert(
      fc.property(maps, (map) => {
        const { cards, boxes, lines } = lay(sceneOf(map));
        for (const card of cards) {
          const box = boxes.find((one) => isInside(card, one));
          if (card.place.subnets.length === 1) {
            expect(box?.id).toBe(card.place.subnets[0]);
          } else if (card.place.subnets.length > 1) {
            expect(box?.kind ?? "group").toBe("group");
            const ends = lines
              .filter(
                ({ type, ends: [from] }) => type === "Address" && from === (box?.id ?? card.id),
              )
              .map((line) => line.ends[1]);
            expect(ends.sort()).toEqual([...card.place.subnets].sort());
          } else {
            expect(box?.id).toBe("group:none");
          }
        }
      }),
    );
  });

  test("draws lines from a host in two subnets to the boxes of both", () => {
    const { boxes, cards, lines, labels } = layoutOf(
      sceneOf(
        mapOf({
          subnets: { lan: "10.0.0.0/24", disks: "10.0.1.0/24" },
          hosts: { hypervisor: ["lan 10.0.0.2", "disks 10.0.1.2"] },
        }),
      ),
      { ofNetwork: 1, ofMap: 1 },
      nameOf,
    );
    const [lan, disks] = boxes;
    const [card] = cards;
    expect(card && lan && card.y > lan.y + lan.height).toBe(true);
    expect(card && disks && card.y + card.height < disks.y).toBe(true);
    expect(lines.map(({ ends }) => ends)).toEqual([
      ["host:hypervisor", "subnet:lan"],
      ["host:hypervisor", "subnet:disks"],
    ]);
    expect(lines[0]?.y).toBe(lan && lan.y + lan.height);
    expect(labels.map(({ text }) => text)).toEqual(["10.0.1.2"]);
  });

  test("connects a virtual machine to what runs it", () => {
    const { lines } = layMap({
      subnets: { lan: "10.0.0.0/24" },
      hosts: { vm: ["lan 10.0.0.3"], hypervisor: ["lan 10.0.0.2"] },
      runsOn: [["vm", "hypervisor"]],
    });
    expect(lines).toMatchObject([{ type: "RunsOn", ends: ["host:vm", "host:hypervisor"] }]);
  });

  test("groups subnets by network, in the order of the networks' names", () => {
    const { headings } = layMap({
      subnets: { lan1: "10.0.0.0/24", lan2: "10.0.0.0/24" },
      networkOf: (name) => `${network.slice(0, -1)}${name.at(-1)}`,
    });
    expect(headings.map(({ text }) => text)).toEqual(["Network 1", "Network 2"]);
  });

  test("uses more columns on a wide screen than on a narrow one", () => {
    const hosts = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`h${index}`, [`lan 10.0.0.${index + 1}`]]),
    );
    const scene = sceneOf(mapOf({ subnets: { lan: "10.0.0.0/24" }, hosts }));
    const wide = columnsFor(scene, { width: 1600, height: 700 }, nameOf);
    const high = columnsFor(scene, { width: 700, height: 1600 }, nameOf);
    expect(wide.ofNetwork).toBeGreaterThan(high.ofNetwork);
  });
});

describe("the positions of hosts", () => {
  const described = {
    subnets: { lan: "10.0.0.0/24" },
    hosts: { a: ["lan 10.0.0.1"], b: ["lan 10.0.0.2"], c: ["lan 10.0.0.3"] },
  };
  const before = sceneOf(mapOf(described));
  const { b: _, ...withoutB } = described.hosts;

  test("do not change when a host is not there: its place is empty", () => {
    const later = withPlacesOf(sceneOf(mapOf({ ...described, hosts: withoutB })), before, false);
    expect(positions(lay(later))).toEqual(positions(lay(before)));
    expect(
      later.places.filter(({ isPresent }) => !isPresent).map(({ node }) => node.label),
    ).toEqual(["b"]);
  });

  test("do not change when a host is added: it comes last until the instant stops moving", () => {
    const more = sceneOf(
      mapOf({ ...described, hosts: { ...described.hosts, ab: ["lan 10.0.0.1"] } }),
    );
    const moving = lay(withPlacesOf(more, before, true));
    expect(positions(moving)).toMatchObject(positions(lay(before)));
    expect(moving.cards.at(-1)?.place.node.label).toBe("ab");
    expect(
      lay(withPlacesOf(more, before, false)).cards.map(({ place }) => place.node.label),
    ).toEqual(["a", "ab", "b", "c"]);
  });

  test("are the same at every instant with the same hosts, whatever was drawn before", () => {
    fc.assert(
      fc.property(
        networkCounts.chain((count) => fc.tuple(mapsOf(count), mapsOf(count))),
        ([now, past]) => {
          const reference = sceneOf(now);
          const one = withPlacesOf(sceneOf(past), reference, false);
          const other = withPlacesOf(reference, sceneOf(past), false);
          const keysAt = (scene: Scene) =>
            lay(scene)
              .cards.map(({ place, x, y }) => `${place.key} ${x} ${y}`)
              .sort();
          expect(keysAt(one)).toEqual(keysAt(other));
        },
      ),
    );
  });

  test("leave a host's place empty when it moves to another address", () => {
    const hosts = { ...described.hosts, b: ["lan 10.0.0.9"] };
    const later = withPlacesOf(sceneOf(mapOf({ ...described, hosts })), before, true);
    const { a, c } = positions(lay(later));
    const old = positions(lay(before));
    expect({ a, c }).toEqual({ a: old["a"], c: old["c"] });
    expect(later.places.filter(({ node }) => node.label === "b")).toHaveLength(2);
  });
});

describe("the layout of layer 2", () => {
  const layer2Maps = networkCounts.chain(layer2MapsOf);
  const leaves = Array.from({ length: 24 }, (_, index) => `leaf${index}`);
  const star = layer2Of({
    hosts: { switch: "10.0.0.254", ...Object.fromEntries(leaves.map((name) => [name, ""])) },
    edges: leaves.map((name, index) => `Link switch ${name} ether${index} - eth0`),
  });
  const ring = layer2Of({
    hosts: { a: "10.0.0.1", b: "10.0.0.2", c: "10.0.0.3" },
    edges: ["Link a b 1 - 2", "Link b c 1 - 2", "Link c a 1 - 2"],
  });
  /** The lines between two devices, without the parts that several of them share. */
  const pairsIn = ({ lines }: Layout) =>
    lines
      .filter(({ ends: [from, to] }) => from !== to)
      .map(({ ends }) => ends.toSorted().join(" "))
      .sort();

  test("is the same for the same graph, whatever the order of its nodes and edges", () => {
    fc.assert(
      fc.property(layer2Maps, (map) => {
        const shuffled = { ...map, nodes: map.nodes.toReversed(), edges: map.edges.toReversed() };
        const [one, other] = [lay(sceneOf(shuffled)), lay(sceneOf(map))];
        const paths = ({ lines }: Layout) =>
          lines.map(({ path, type }) => `${type} ${path}`).sort();
        expect({ ...one, lines: paths(one) }).toEqual({ ...other, lines: paths(other) });
      }),
    );
  });

  test("draws every device once, without overlaps, and inside the map", () => {
    fc.assert(
      fc.property(layer2Maps, (map) => {
        const { cards, boxes, width, height } = lay(sceneOf(map));
        expect(cards.map(({ id }) => id).sort()).toEqual(map.nodes.map(({ id }) => id).sort());
        const whole = { x: 0, y: 0, width, height };
        for (const [index, card] of cards.entries()) {
          expect(isInside(card, whole)).toBe(true);
          expect(cards.slice(index + 1).filter((other) => overlaps(card, other))).toEqual([]);
          const touched = boxes.filter((box) => overlaps(box, card));
          expect(touched.every((box) => isInside(card, box))).toBe(true);
        }
        for (const [index, box] of boxes.entries()) {
          expect(isInside(box, whole)).toBe(true);
          expect(boxes.slice(index + 1).filter((other) => overlaps(box, other))).toEqual([]);
        }
      }),
    );
  });

  test("draws one line between any two devices that are connected, and no other", () => {
    fc.assert(
      fc.property(layer2Maps, (map) => {
        const pairs = map.edges.map(({ source, target }) => [source, target].sort().join(" "));
        expect(pairsIn(lay(sceneOf(map)))).toEqual([...new Set(pairs)].sort());
      }),
    );
  });

  test("draws the leaves of a switch as a block below it", () => {
    const { cards, boxes } = lay(sceneOf(star));
    const [block] = boxes;
    const [top, ...others] = cards;
    expect(top?.id).toBe("host:switch");
    expect(boxes).toMatchObject([{ kind: "leaves", title: "switch", hosts: 24 }]);
    expect(block && others.every((card) => isInside(card, block))).toBe(true);
    expect(top && block && top.y + top.height < block.y).toBe(true);
    expect(new Set(others.map(({ x }) => x)).size).toBeLessThan(others.length / 4);
  });

  test("puts the host with the most neighbors on top, and no unknown device", () => {
    const topOf = (map: Topology) => lay(sceneOf(map)).cards.toSorted((a, b) => a.y - b.y)[0]?.id;
    expect(topOf(star)).toBe("host:switch");
    expect(
      topOf(
        layer2Of({
          hosts: { a: "10.0.0.1", b: "10.0.0.2" },
          unknown: ["hub"],
          edges: ["Adjacent a hub", "Adjacent b hub"],
        }),
      ),
    ).toBe("host:a");
  });

  test("names the interfaces of a device on the lines below it, with all cables to one neighbor", () => {
    const { labels, lines } = lay(
      sceneOf(
        layer2Of({
          hosts: { switch: "10.0.0.1", nas: "10.0.0.2", ap: "10.0.0.3" },
          edges: [
            "Link nas switch eth0 - ether7",
            "Link nas switch eth1 - ether10",
            "Adjacent ap switch eth0",
          ],
        }),
      ),
    );
    expect(labels.map(({ text }) => text)).toEqual(["ether7, ether10"]);
    expect(lines.filter(({ ends: [from, to] }) => from !== to).map(({ type }) => type)).toEqual([
      "Link",
      "Adjacent",
    ]);
  });

  test("closes a ring with a line that is not part of the tree", () => {
    expect(pairsIn(lay(sceneOf(ring)))).toEqual([
      "host:a host:b",
      "host:a host:c",
      "host:b host:c",
    ]);
  });

  test("begins and ends every line at its two devices", () => {
    fc.assert(
      fc.property(layer2Maps, (map) => {
        const { cards, lines } = lay(sceneOf(map));
        const areaOf = new Map<string, Area>(cards.map((card) => [card.id, card]));
        for (const { ends, path, whole } of lines.filter(({ ends: [from, to] }) => from !== to)) {
          const numbers = (whole ?? path).match(/-?[\d.]+/g)?.map(Number) ?? [];
          const points = [numbers.slice(0, 2), numbers.slice(-2)];
          for (const [index, [x = 0, y = 0]] of points.entries()) {
            const area = areaOf.get(ends[index] ?? "");
            expect(area && overlaps(area, { x, y, width: 0, height: 0 })).toBe(true);
          }
        }
      }),
    );
  });

  test("groups hosts without neighbors", () => {
    const { boxes, cards } = lay(
      sceneOf(
        layer2Of({
          hosts: { a: "10.0.0.1", b: "10.0.0.2", alone: "10.0.0.3" },
          edges: ["Link a b 1 - 2"],
        }),
      ),
    );
    const alone = cards.find(({ id }) => id === "host:alone");
    expect(boxes).toMatchObject([{ title: "Without a known neighbor", hosts: 1 }]);
    expect(alone && boxes[0] && isInside(alone, boxes[0])).toBe(true);
  });

  test("does not move when a device is gone, or a connection, or has another name or address", () => {
    const before = sceneOf(ring);
    const later = sceneOf(
      layer2Of({ hosts: { a: "10.0.0.200", c: "10.0.0.3" }, edges: ["Link c a 1 - 2"] }),
    );
    const drawn = lay(withPlacesOf(later, before, false));
    expect(positions(drawn)).toEqual(positions(lay(before)));
    expect(pairsIn(drawn)).toEqual(["host:a host:c"]);
  });

  test("does not move while the instant does: devices that were not there before come last", () => {
    fc.assert(
      fc.property(layer2MapsOf(1), layer2MapsOf(1), (one, other) => {
        const before = sceneOf(one);
        const moving = lay(withPlacesOf(sceneOf(other), before, true));
        const old = lay(before);
        expect(positions(moving)).toMatchObject(positions(old));
        const bottom = Math.max(...old.cards.map(({ y }) => y));
        const isLate = ({ place: { isLate: is } }: Layout["cards"][number]) => is;
        expect(moving.cards.filter(isLate).every(({ y }) => y > bottom)).toBe(true);
      }),
    );
  });

  test("has the same positions at every instant with the same devices, whatever was drawn before", () => {
    fc.assert(
      fc.property(
        networkCounts.chain((count) => fc.tuple(layer2MapsOf(count), layer2MapsOf(count))),
        ([one, other]) => {
          const [now, past] = [sceneOf(one), sceneOf(other)];
          expect(positions(lay(withPlacesOf(past, now, false)))).toEqual(
            positions(lay(withPlacesOf(now, past, false))),
          );
        },
      ),
    );
  });

  test("lists the neighbors of both ends, in the order of their interfaces", () => {
    const neighbors = neighborsOf(
      sceneOf(
        layer2Of({
          hosts: { switch: "10.0.0.1", nas: "10.0.0.2", ap: "10.0.0.3" },
          unknown: ["hub"],
          edges: [
            "Link nas switch eth0 - ether10",
            "Adjacent switch hub ether9 - port-a",
            "Learned switch ap ether2",
          ],
        }),
      ),
    );
    const named = (id: string) =>
      neighbors
        .get(id)
        ?.map(({ port, other, otherPort }) => `${port} > ${other.label} ${otherPort}`);
    expect(named("host:switch")).toEqual([
      "ether2 > ap ",
      "ether9 > hub port-a",
      "ether10 > nas eth0",
    ]);
    expect(named("host:nas")).toEqual(["eth0 > switch ether10"]);
    expect(named("host:ap")).toEqual([" > switch ether2"]);
    expect(named("unknown:hub")).toEqual(["port-a > switch ether9"]);
  });
});

describe("the nearest host", () => {
  const at = (x: number, y: number) => ({ x, y, width: 10, height: 10 });
  const [center, right, farRight, below] = [at(0, 0), at(20, 4), at(40, 0), at(0, 20)];
  const areas = [farRight, center, below, right];

  test("is the closest one in the given direction", () => {
    expect(nearest(center, areas, "ArrowRight")).toBe(right);
    expect(nearest(right, areas, "ArrowRight")).toBe(farRight);
    expect(nearest(center, areas, "ArrowDown")).toBe(below);
    expect(nearest(farRight, areas, "ArrowLeft")).toBe(right);
    expect(nearest(center, areas, "ArrowUp")).toBe(undefined);
  });
});
