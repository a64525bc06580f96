import { expect, test } from "vitest";
import type { ImportResult } from "../../src/imports/model.ts";
import { shifted } from "../helpers/inventory.ts";
import { limitCases } from "../helpers/limit-cases.ts";
import { inventoryOf, openImports } from "./helpers.ts";

type Imports = Awaited<ReturnType<typeof openImports>>;

/** A pseudo-random generator that depends only on the seed (mulberry32). */
function randomOf(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/**
 * A few hosts with few addresses, MAC addresses and ports, so that they overlap and contradict each
 * other.
 */
function reportOf(random: (below: number) => number) {
  const some = (most: number, below: number) => [
    ...new Set(Array.from({ length: 1 + random(most) }, () => random(below))),
  ];
  return Array.from({ length: 1 + random(5) }, (_, host) => ({
    ...(random(2) ? { hostname: `host-${host}-${random(3)}` } : {}),
    addresses: some(2, 14).map((address) => ({
      ip_address: address === 0 ? "127.0.0.1" : `10.0.0.${address}`,
      mac_address: random(2) ? `02:00:00:00:00:0${random(6)}` : null,
    })),
    ports: some(3, 4).map((number) => ({
      number: 80 + number,
      protocol: "Tcp",
      service: random(3) ? { name: `service ${random(3)}` } : null,
    })),
    scanned_ports: random(2) ? [{ protocol: "Tcp", from: 80, to: 80 + random(4) }] : [],
  }));
}

/** The hosts of a network without ids and times, which differ between networks. */
async function shapeOf({ list }: Imports) {
  const hosts = await list("hosts");
  return hosts
    .map(({ name, hostname, ip_addresses, ports, services }) => {
      const numbers = new Map(ports.map(({ id, number }) => [id, number]));
      return JSON.stringify({
        name,
        hostname,
        addresses: ip_addresses.map((one) => `${one.ip_address} ${one.mac_address}`).sort(),
        ports: [...numbers.values()].sort(),
        services: services
          .map((service) => ({
            is: service.service_definition,
            on: service.bindings.map(({ port_id }) => numbers.get(port_id ?? "")).sort(),
          }))
          .sort((one, other) => (one.is < other.is ? -1 : 1)),
      });
    })
    .sort();
}

const outcomesOf = ({ hosts }: ImportResult) =>
  hosts.map(({ outcome, matched_by }) => `${outcome} ${matched_by}`);

const seeds = Array.from({ length: 25 }, (_, seed) => seed + 1);

test.each(limitCases(seeds, 3))(
  "the order of hosts does not matter, and a repeated import changes nothing (seed %i)",
  async (seed) => {
    const random = randomOf(seed);
    const [one, other] = await Promise.all([openImports(), openImports()]);
    for (const minutes of [30, 20, 10]) {
      const observed_at = shifted(new Date().toISOString(), -60_000 * minutes);
      const report = reportOf(random);
      const order = report
        .map((_, position) => ({ position, rank: random(1000) }))
        .sort((first, second) => first.rank - second.rank)
        .map(({ position }) => position);
      const first = await one.take(report, { observed_at });
      const shuffled = await other.take(
        order.map((position) => report[position]),
        { observed_at },
      );
      expect(outcomesOf(shuffled)).toEqual(order.map((position) => outcomesOf(first)[position]));
      expect(await shapeOf(other)).toEqual(await shapeOf(one));

      const before = await inventoryOf(one);
      const again = await one.take(report, { observed_at });
      expect(again.counts).toEqual({
        created: 0,
        changed: 0,
        unchanged: report.length - first.counts.failed,
        failed: first.counts.failed,
      });
      expect(await inventoryOf(one)).toEqual(before);
    }
  },
);

/** The members of a list in a random order that depends only on the seed. */
function shuffled<Member>(members: readonly Member[], random: (below: number) => number): Member[] {
  const rest = [...members];
  return members.flatMap(() => rest.splice(random(rest.length), 1));
}

/** Hosts whose ports belong to only a few services, with different names and versions. */
function namedReportOf(random: (below: number) => number) {
  return Array.from({ length: 3 }, (_, host) => ({
    name: `host ${host}`,
    addresses: [{ ip_address: `10.0.0.${host + 1}` }],
    ports: Array.from({ length: 6 }, (_unused, index) => ({
      number: 50 + (index >> 1),
      protocol: index % 2 === 0 ? "Tcp" : "Udp",
      service: {
        name: `name ${random(4)}`,
        definition: `Definition ${random(2)}`,
        version: random(2) ? `version ${random(3)}` : null,
      },
    })),
    interfaces: Array.from({ length: 3 }, (_unused, index) => ({
      if_index: index + 1,
      name: `eth${index}`,
      ip_addresses: index === 0 ? [`10.0.0.${host + 1}`] : [],
      neighbors: Array.from({ length: random(3) }, (_neighbor, number) => ({
        protocol: "Cdp",
        chassis_id: { subtype: "LocallyAssigned", value: `device ${number}` },
      })),
      learned_macs: Array.from({ length: random(3) }, () => `02005e00000${random(9)}`),
      complete: random(2) ? ["cdp", "fdb"] : [],
    })),
  }));
}

/** The services and interfaces of a network, without ids and times. */
async function namesOf({ list }: Imports) {
  const hosts = await list("hosts", { order_by: "name" });
  return hosts.map(({ name, ports, services, interfaces }) => {
    const placeOf = new Map(ports.map(({ id, number, protocol }) => [id, `${number}/${protocol}`]));
    return {
      name,
      services: services
        .map((service) => ({
          name: service.name,
          definition: service.service_definition,
          version: service.version,
          ports: service.bindings.map(({ port_id }) => placeOf.get(port_id ?? "")).sort(),
        }))
        .sort((one, other) => (one.definition < other.definition ? -1 : 1)),
      interfaces: interfaces.map((one) => [
        one.if_index,
        one.name,
        one.ip_address_ids.length,
        one.neighbors.map(({ protocol, chassis_id }) => `${protocol} ${chassis_id.value}`).sort(),
      ]),
    };
  });
}

test.each(limitCases([0, 1, 2, 3, 4, 5], 2))(
  "the order of a host's ports, interfaces and neighbors does not matter (seed %i)",
  async (seed) => {
    const random = randomOf(seed);
    const [one, other] = [await openImports(), await openImports()];
    for (let round = 0; round < 2; round++) {
      const report = namedReportOf(random);
      await one.take(report);
      await other.take(
        shuffled(report, random).map(({ ports, interfaces, ...host }) => ({
          ...host,
          ports: shuffled(ports, random),
          interfaces: shuffled(interfaces, random).map(({ neighbors, learned_macs, ...one }) => ({
            ...one,
            neighbors: shuffled(neighbors, random),
            learned_macs: shuffled(learned_macs, random),
          })),
        })),
      );
      expect(await namesOf(other)).toEqual(await namesOf(one));
    }
  },
);

test("names a new service after its lowest port, with Tcp before Udp", async () => {
  const ports = [
    { number: 8080, protocol: "Tcp", service: { name: "SSH", definition: "Web" } },
    { number: 80, protocol: "Udp", service: { name: "SNMP", definition: "Web" } },
    { number: 80, protocol: "Tcp", service: { name: "DNS", definition: "Web" } },
  ];
  for (const sent of [ports, ports.toReversed()]) {
    const imports = await openImports();
    await imports.take([{ addresses: [{ ip_address: "10.0.0.1" }], ports: sent }]);
    expect((await imports.list("services")).map(({ name }) => name)).toEqual(["DNS"]);
  }
});
