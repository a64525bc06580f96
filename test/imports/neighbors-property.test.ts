import { expect, test } from "vitest";
import { limitCases } from "../helpers/limit-cases.ts";
import { type Random, randomOf } from "../model/random.ts";
import { at, openImports } from "./helpers.ts";

const devices = ["a", "b", "c", "d"];
const numbers = [1, 2, 3];

/** The interfaces of one host, with their neighbors and the parts that were read completely. */
const interfacesOf = (random: Random) =>
  random.some(numbers, 3).map((if_index) => ({
    if_index,
    neighbors: (["Lldp", "Cdp"] as const).flatMap((protocol) =>
      random.some(devices, 2).map((value) => ({
        protocol,
        chassis_id: { subtype: "LocallyAssigned", value },
      })),
    ),
    complete: random.some(["lldp", "cdp", "fdb", "vlans"], 4),
  }));

const nameOf = (if_index: number | undefined, protocol: string, value: string) =>
  `${if_index} ${protocol} ${value}`;

test.each(limitCases(["1", "2", "3", "4"], 1))(
  "a report ends exactly the neighbors that it omits from complete parts: seed %s",
  async (seed) => {
    const random = randomOf(seed);
    const { take, list } = await openImports();
    let known: string[] = [];
    for (let step = 0; step < 12; step++) {
      const interfaces = interfacesOf(random);
      const { counts } = await take([at("10.0.0.1", { interfaces })]);
      expect(counts.failed).toBe(0);
      const heard = interfaces.flatMap(({ if_index, neighbors }) =>
        neighbors.map(({ protocol, chassis_id }) => nameOf(if_index, protocol, chassis_id.value)),
      );
      const isReadWhole = (name: string) =>
        interfaces.some(
          ({ if_index, complete }) =>
            (complete.includes("lldp") && name.startsWith(`${if_index} Lldp`)) ||
            (complete.includes("cdp") && name.startsWith(`${if_index} Cdp`)),
        );
      known = [...new Set([...known.filter((name) => !isReadWhole(name)), ...heard])].toSorted();
      const stored = (await list("interfaces")).flatMap(({ if_index, neighbors }) =>
        neighbors.map(({ protocol, chassis_id }) => nameOf(if_index, protocol, chassis_id.value)),
      );
      expect(stored.toSorted()).toEqual(known);
    }
  },
);
