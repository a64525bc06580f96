import { inventoryCollections } from "../../helpers/inventory.ts";
import { differenceOf, type Fault } from "../fault.ts";
import * as material from "../material.ts";
import type { Random } from "../random.ts";
import { type Inventory, type State, snapshotOf } from "../state.ts";
import type { World } from "../world.ts";
import { holds, isInside } from "./rules.ts";

/** A filtered list, with the records that it must return. */
interface Query {
  collection: keyof Inventory;
  query: string;
  expected: readonly { id: string; created_at: string }[];
}

const contains = (fields: readonly (string | null | undefined)[], text: string) =>
  fields.some((field) => field?.toLowerCase().includes(text));

/** The fields that `q` searches. */
const searched = {
  subnets: ({ name, description }: Inventory["subnets"][number]) => [name, description],
  hosts: ({ services, ...host }: Inventory["hosts"][number]) => [
    host.name,
    host.hostname,
    host.sys_name,
    host.operating_system,
    ...services.flatMap((service) =>
      service.is_open ? [service.name, service.service_definition] : [],
    ),
  ],
  services: ({ name, service_definition, version }: Inventory["services"][number]) => [
    name,
    service_definition,
    version,
  ],
};

const isNamed = (
  { name, service_definition }: Inventory["services"][number],
  text: string,
): boolean => [name, service_definition].some((one) => one.toLowerCase() === text.toLowerCase());

/** A random filter from section 9 of the API contract, with all records that match it. */
function queryOf({ inventory, others }: State, random: Random): Query {
  const { subnets, hosts, ports, services, bindings } = inventory;
  const addresses = inventory["ip-addresses"];
  const network = random.pick(others.networks)?.id ?? "";
  const collection = random.oneOf(inventoryCollections);
  const host = random.pick(hosts)?.id ?? network;
  const number = random.oneOf(material.portNumbers);
  const ip = random.oneOf(material.addresses);
  const mac = random.oneOf(material.macs);
  const cidr = random.oneOf(material.blocks);
  const tag = random.pick(others.tags)?.id ?? network;
  const subnet = random.pick(subnets)?.id ?? network;
  const service = random.pick(services)?.id ?? network;
  const name = random.oneOf([...material.hostNames, ...material.serviceNames, "offi", "lab"]);
  const named = random.oneOf(material.serviceNames);
  const numbered = new Set<string | null>(
    ports.filter((one) => one.number === number).map(({ id }) => id),
  );
  const withAddress = (matches: (address: Inventory["ip-addresses"][number]) => boolean) =>
    hosts.filter((one) => one.ip_addresses.some(matches));
  const query = (text: string, expected: Query["expected"], of = collection): Query => ({
    collection: of,
    query: text,
    expected,
  });
  const choices: readonly (() => Query)[] = [
    () =>
      query(
        `network_id=${network}`,
        inventory[collection].filter((one) => one.network_id === network),
      ),
    () => {
      const records: Query["expected"] = inventory[collection];
      const some = [random.pick(records) ?? [], random.some(records, 4)].flat();
      const matching = records.filter((record) => some.includes(record));
      return query(matching.map(({ id }) => `ids=${id}`).join("&") || `ids=${network}`, matching);
    },
    () =>
      query(
        `host_id=${host}`,
        addresses.filter((one) => one.host_id === host),
        "ip-addresses",
      ),
    () =>
      query(
        `host_id=${host}`,
        ports.filter((one) => one.host_id === host),
        "ports",
      ),
    () =>
      query(
        `host_id=${host}`,
        services.filter((one) => one.host_id === host),
        "services",
      ),
    () =>
      query(
        `number=${number}`,
        ports.filter((one) => one.number === number),
        "ports",
      ),
    () =>
      query(
        `protocol=Udp`,
        ports.filter((one) => one.protocol === "Udp"),
        "ports",
      ),
    () =>
      query(
        `ip=${ip}`,
        addresses.filter((one) => one.ip_address === ip),
        "ip-addresses",
      ),
    () =>
      query(
        `mac=${mac}`,
        addresses.filter((one) => one.mac_address === mac),
        "ip-addresses",
      ),
    () =>
      query(
        `cidr=${cidr}`,
        addresses.filter((one) => holds(cidr, one.ip_address)),
        "ip-addresses",
      ),
    () =>
      query(
        `subnet_id=${subnet}`,
        addresses.filter((one) => one.subnet_id === subnet),
        "ip-addresses",
      ),
    () =>
      query(
        `ip=${ip}`,
        withAddress((one) => one.ip_address === ip),
        "hosts",
      ),
    () =>
      query(
        `mac=${mac}`,
        withAddress((one) => one.mac_address === mac),
        "hosts",
      ),
    () =>
      query(
        `cidr=${cidr}`,
        withAddress((one) => holds(cidr, one.ip_address)),
        "hosts",
      ),
    () =>
      query(
        `port=${number}/Tcp`,
        hosts.filter((one) =>
          one.ports.some((p) => p.number === number && p.protocol === "Tcp" && p.is_open),
        ),
        "hosts",
      ),
    ...(["hosts", "services", "subnets"] as const).flatMap((list) =>
      material.externalIds.map(
        (externalId) => () =>
          query(
            `external_id=${externalId}`,
            inventory[list].filter((one) => one.external_id === externalId),
            list,
          ),
      ),
    ),
    () =>
      query(
        "stale=true",
        hosts.filter((one) => one.is_stale),
        "hosts",
      ),
    () =>
      query(
        `service=${named}`,
        hosts.filter((one) => one.services.some((s) => s.is_open && isNamed(s, named))),
        "hosts",
      ),
    () =>
      query(
        `port=${number}`,
        services.filter((one) => one.bindings.some((b) => numbered.has(b.port_id))),
        "services",
      ),
    ...([true, false] as const).flatMap((isOpen) => [
      () =>
        query(
          `is_open=${isOpen}`,
          ports.filter((one) => one.is_open === isOpen),
          "ports",
        ),
      () =>
        query(
          `is_open=${isOpen}&number=${number}`,
          ports.filter((one) => one.is_open === isOpen && one.number === number),
          "ports",
        ),
      () =>
        query(
          `is_open=${isOpen}`,
          services.filter((one) => one.is_open === isOpen),
          "services",
        ),
      () =>
        query(
          `is_open=${isOpen}&q=${name}`,
          services.filter(
            (one) => one.is_open === isOpen && contains(searched.services(one), name),
          ),
          "services",
        ),
    ]),
    () =>
      query(
        `tag_ids=${tag}`,
        hosts.filter((one) => one.tags.includes(tag)),
        "hosts",
      ),
    () =>
      query(
        `tag_ids=${tag}`,
        services.filter((one) => one.tags.includes(tag)),
        "services",
      ),
    () =>
      query(
        `tag_ids=${tag}`,
        subnets.filter((one) => one.tags.includes(tag)),
        "subnets",
      ),
    () =>
      query(
        `within=${cidr}`,
        subnets.filter((one) => isInside(one.cidr, cidr)),
        "subnets",
      ),
    () =>
      query(
        `status=Reserved`,
        addresses.filter((one) => one.status === "Reserved"),
        "ip-addresses",
      ),
    () =>
      query(
        `role=Vip`,
        addresses.filter((one) => one.role === "Vip"),
        "ip-addresses",
      ),
    () =>
      query(
        `contains=${ip}`,
        subnets.filter((one) => holds(one.cidr, ip)),
        "subnets",
      ),
    () =>
      query(
        `service_id=${service}`,
        bindings.filter((b) => b.service_id === service),
        "bindings",
      ),
    () => {
      const found = services.filter((one) => contains(searched.services(one), name));
      const ids = new Set(found.map(({ id }) => id));
      return query(
        `q=${name}`,
        bindings.filter((b) => ids.has(b.service_id)),
        "bindings",
      );
    },
    () =>
      query(
        `q=${number}`,
        bindings.filter((b) => numbered.has(b.port_id)),
        "bindings",
      ),
    ...(["subnets", "hosts", "services"] as const).map((of) => () => {
      const records: readonly (Query["expected"][number] & {
        fields: readonly (string | null)[];
      })[] =
        of === "subnets"
          ? subnets.map((one) => ({ ...one, fields: searched.subnets(one) }))
          : of === "hosts"
            ? hosts.map((one) => ({ ...one, fields: searched.hosts(one) }))
            : services.map((one) => ({ ...one, fields: searched.services(one) }));
      const matching = records.filter(({ fields }) => contains(fields, name));
      const ids = new Set(matching.map(({ id }) => id));
      return query(
        `q=${name}`,
        inventory[of].filter(({ id }) => ids.has(id)),
        of,
      );
    }),
  ];
  return random.oneOf(choices)();
}

const inOrder = (records: Query["expected"]) =>
  records.toSorted((one, other) =>
    `${one.created_at} ${one.id}` < `${other.created_at} ${other.id}` ? -1 : 1,
  );

/**
 * Checks a random list against all records. The list can be filtered, paged, complete or without
 * children, and it is either live or as of the current instant.
 */
export async function judgeList(world: World, state: State, random: Random): Promise<Fault[]> {
  const { collection, query, expected } = queryOf(state, random);
  const records: readonly { id: string }[] = inOrder(expected);
  switch (random.below(7)) {
    case 6:
      return judgeVlans(world, state.inventory);
    case 5: {
      const name = random.oneOf(material.hostNames);
      const hosts = state.inventory.hosts.filter((one) => contains(searched.hosts(one), name));
      const ids = (found: readonly object[]) => found.map((one) => Reflect.get(one, "id")).sort();
      // Beyond the maximum, the search returns only the best of them.
      return hosts.length > 50
        ? []
        : judge(world, `search?q=${name.toUpperCase()}&kinds=Host&limit=50`, hosts, ids);
    }
    case 0:
      return judge(world, `${collection}?${query}&limit=0`, records, (one) => one);
    case 1:
      return judgePages(world, `${collection}?${query}`, records, 1 + random.below(20));
    case 2: {
      const path = `${collection}?${query}&at=${state.at}&limit=0`;
      return judge(world, path, records, (list) => [...snapshotOf(list)].sort());
    }
    case 3: {
      const without = ({
        ip_addresses,
        ports,
        interfaces,
        services,
        ...host
      }: Inventory["hosts"][number]) => host;
      const hosts = state.inventory.hosts.map(without);
      return judge(world, "hosts?include_children=false&limit=0", inOrder(hosts), (one) => one);
    }
    default:
      return judge(world, `${collection}?${query}&limit=1000`, records, (one) => one);
  }
}

/** Checks the VLANs against those of all interfaces. */
function judgeVlans(world: World, { interfaces, ...inventory }: Inventory): Promise<Fault[]> {
  const addresses = new Map(inventory["ip-addresses"].map((one) => [one.id, one]));
  const members = interfaces.flatMap((one) => {
    const { native_vlan, tagged_vlans, ip_address_ids } = one;
    const inside = ip_address_ids.flatMap((id) => addresses.get(id)?.subnet_id ?? []);
    const numbers = new Set([native_vlan ?? [], tagged_vlans ?? []].flat());
    return [...numbers].map((number) => ({
      of: { network_id: one.network_id, vlan_number: number },
      host_id: one.host_id,
      inside: number === native_vlan ? inside : [],
    }));
  });
  const expected = [...Map.groupBy(members, ({ of }) => JSON.stringify(of)).values()].flatMap(
    (group) =>
      group.slice(0, 1).map(({ of }) => ({
        ...of,
        interfaces: group.length,
        hosts: new Set(group.map(({ host_id }) => host_id)).size,
        subnet_ids: [...new Set(group.flatMap(({ inside }) => inside))].sort(),
      })),
  );
  const names = ["network_id", "vlan_number", "interfaces", "hosts", "subnet_ids"];
  const comparable = (vlans: readonly object[]) =>
    vlans.map((vlan) => JSON.stringify(names.map((name) => Reflect.get(vlan, name)))).sort();
  return judge(world, "vlans?limit=0", expected, comparable);
}

async function judge(
  world: World,
  path: string,
  expected: readonly object[],
  comparable: (records: readonly object[]) => unknown,
): Promise<Fault[]> {
  const { data, total_count } = await world.list<object>(path);
  const difference = differenceOf(
    { total_count: expected.length, data: comparable(expected) },
    { total_count, data: comparable(data) },
  );
  return difference === undefined ? [] : [{ check: "list", where: path, difference }];
}

/** Checks that all pages together make up the list. */
async function judgePages(
  world: World,
  path: string,
  expected: readonly object[],
  limit: number,
): Promise<Fault[]> {
  const pages: object[] = [];
  for (let offset = 0; offset <= expected.length; offset += limit) {
    const { data, total_count } = await world.list<object>(
      `${path}&limit=${limit}&offset=${offset}`,
    );
    if (total_count !== expected.length) {
      return [{ check: "total_count", where: path, difference: [total_count, expected.length] }];
    }
    pages.push(...data);
  }
  const difference = differenceOf(expected, pages);
  return difference === undefined ? [] : [{ check: "pages", where: path, difference }];
}
