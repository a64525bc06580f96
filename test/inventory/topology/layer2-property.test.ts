import { expect, test } from "vitest";
import { topologySchema } from "../../../src/inventory/topology/model.ts";
import { openApi } from "../../helpers/api.ts";
import { sql } from "../../helpers/database.ts";
import { inventorySchemas } from "../../helpers/inventory.ts";
import { limitCases } from "../../helpers/limit-cases.ts";
import { openImports } from "../../imports/helpers.ts";
import { type Random, randomOf } from "../../model/random.ts";
import { drawnLinks, hostsAround, linksOf } from "./layer2-of.ts";

const names = ["core", "attic", "core.example"];
const ports = ["eth0", "eth1"];
const numbers = [1, 2, 3, 4, 5, 6];

const addressOf = (number: number) => `10.0.0.${number}`;
const macOf = (random: Random) =>
  random.happens(10) ? "00:00:5E:00:01:01" : `02:00:5E:00:00:0${random.oneOf(numbers)}`;

const chassisOf = (random: Random) =>
  random.oneOf([
    { subtype: "MacAddress", value: macOf(random) },
    { subtype: "NetworkAddress", value: addressOf(random.oneOf(numbers)) },
    { subtype: "LocallyAssigned", value: random.oneOf(names) },
  ]);

const neighborOf = (random: Random) => ({
  protocol: random.happens(70) ? "Lldp" : "Cdp",
  chassis_id: chassisOf(random),
  port_id: random.oneOf([
    null,
    { subtype: "MacAddress", value: macOf(random) },
    { subtype: "InterfaceName", value: random.oneOf(ports) },
  ]),
  system_name: random.happens(40) ? random.oneOf(names) : null,
  management_addresses: random.happens(20) ? [addressOf(random.oneOf(numbers))] : [],
});

/** A report of one to four hosts, whose interfaces have neighbors and learned MAC addresses. */
const reportOf = (random: Random) =>
  [...new Set([random.oneOf(numbers), ...random.some(numbers, 3)])].map((number) => ({
    hostname: random.happens(40) ? random.oneOf(names) : null,
    addresses: [
      {
        ip_address: addressOf(number),
        mac_address: random.happens(60) ? `02:00:5E:00:00:0${number}` : null,
      },
    ],
    interfaces: random.some([1, 2, 3], 3).map((if_index) => ({
      if_index,
      name: random.oneOf([null, ...ports]),
      alias: random.happens(20) ? random.oneOf(ports) : null,
      mac_address: random.happens(40) ? macOf(random) : null,
      neighbors: random.happens(50) ? [neighborOf(random)] : [],
      learned_macs: random.happens(40) ? [macOf(random)] : [],
      complete: random.happens(60)
        ? ["lldp", "cdp", "fdb"]
        : random.some(["lldp", "cdp", "fdb"], 3),
    })),
    interfaces_complete: random.happens(30),
  }));

const steps = 12;

test.each(limitCases(["1", "2", "3", "4"], 1))(
  "the layer l2 equals the links that follow from the lists at the same instant, and the past does not change: seed %s",
  { timeout: 60_000 },
  async (seed) => {
    const random = randomOf(seed);
    const { take, organization, network_id } = await openImports();
    const key = organization.keys.viewer;
    const dataOf = async (path: string) => {
      const answer = await openApi().send("GET", `/api/v1/${path}`, { key });
      expect(answer, path).toMatchObject({ status: 200 });
      return (answer.body as { data: unknown }).data;
    };
    const map = async (query = "") =>
      topologySchema.parse(await dataOf(`topology?layer=l2&network_id=${network_id}${query}`));
    const hostsAt = async (query = "") =>
      inventorySchemas.hosts
        .array()
        .parse(await dataOf(`hosts?limit=0&network_id=${network_id}${query}`));
    const seen: { at: string; links: string[] }[] = [];
    const drawn = new Set<string>();
    for (let step = 0; step < steps; step++) {
      await take(reportOf(random));
      const whole = await map();
      const links = drawnLinks(whole);
      expect(links).toEqual(linksOf(await hostsAt()));
      for (const { type } of whole.edges) {
        drawn.add(type);
      }
      const [last] = await sql`
        select to_char(max(changed_at), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from transactions
        where organization_id = ${organization.id}`;
      seen.push({ at: last?.["at"], links });

      const { at } = random.oneOf(seen);
      const past = drawnLinks(await map(`&at=${at}`));
      expect(past).toEqual(linksOf(await hostsAt(`&at=${at}`)));

      const center = random.pick(await hostsAt())?.id ?? "";
      const depth = 1 + random.below(3);
      const around = await map(`&host_id=${center}&depth=${depth}`);
      expect(
        around.nodes.flatMap(({ id, type }) => (type === "Host" ? [id] : [])).toSorted(),
      ).toEqual(hostsAround(whole, center, depth));
    }
    for (const { at, links } of seen) {
      expect(drawnLinks(await map(`&at=${at}`))).toEqual(links);
    }
    expect([...drawn].toSorted()).toEqual(["Adjacent", "Learned", "Link"]);
  },
);
