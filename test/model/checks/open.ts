import { differenceOf, type Fault } from "../fault.ts";
import type { Random } from "../random.ts";
import type { Host, Inventory, State } from "../state.ts";
import type { World } from "../world.ts";

/** The maximum number of entries in a group of a summary (API contract, section 13). */
const maxEntries = 20;

/**
 * Checks that the summary and exports contain exactly the open ports and services in the lists (API
 * contract, section 9).
 */
export async function judgeOutputs(world: World, state: State, random: Random): Promise<Fault[]> {
  const network = random.pick(state.others.networks)?.id;
  const query = network !== undefined && random.happens(50) ? `?network_id=${network}` : "";
  const within = <One extends { network_id: string }>(records: readonly One[]): One[] =>
    records.filter(({ network_id }) => query === "" || network_id === network);
  const { hosts, ports, services } = state.inventory;
  const records = { hosts: within(hosts), ports: within(ports), services: within(services) };
  const at = `${query === "" ? "?" : `${query}&`}at=${state.at}`;
  const faults = await Promise.all([
    judgeSummary(world, `summary${random.oneOf([query, at])}`, records),
    random.happens(50)
      ? judgePrometheus(world, `exports/prometheus${query}`, records.hosts)
      : judgeAnsible(world, `exports/ansible${query}`, records.hosts),
  ]);
  return faults.flat();
}

const read = async (world: World, path: string) => {
  const { status, text } = await world.get(path);
  if (status !== 200) {
    throw new Error(`GET ${path}: ${status} ${text}`);
  }
  return JSON.parse(text);
};

const faultOf = (check: string, where: string, expected: unknown, actual: unknown): Fault[] => {
  const difference = differenceOf(expected, actual);
  return difference === undefined ? [] : [{ check, where, difference }];
};

const countsOf = (keys: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(keys, (key) => key)]
      .map(([key, same]) => [key, same.length] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );

const isOpen = ({ is_open }: { is_open: boolean }) => is_open;
const nameOf = ({ number, protocol }: Inventory["ports"][number]) => `${number}/${protocol}`;

async function judgeSummary(
  world: World,
  path: string,
  { ports, services }: Pick<Inventory, "ports" | "services">,
): Promise<Fault[]> {
  const { data } = await read(world, path);
  const expected = {
    services: countsOf(services.filter(isOpen).map((one) => one.service_definition)),
    open_ports: countsOf(ports.filter(isOpen).map(nameOf)),
  };
  const actual = {
    services: pairs(data.services, "service_definition", "count"),
    open_ports: countsOf(
      data.open_ports.flatMap((one: Inventory["ports"][number] & { hosts: number }) =>
        Array.from({ length: one.hosts }, () => nameOf(one)),
      ),
    ),
  };
  return (["services", "open_ports"] as const).flatMap((field) =>
    Object.keys(expected[field]).length > maxEntries
      ? []
      : faultOf(`summary.${field}`, path, expected[field], actual[field]),
  );
}

const pairs = (rows: readonly Record<string, unknown>[], key: string, value: string) =>
  Object.fromEntries(
    rows
      .map((row) => [String(row[key]), row[value]] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );

const listed = (values: readonly string[]): string =>
  values.length === 0 ? "" : `,${values.map((one) => one.replaceAll(",", "_")).join(",")},`;

const openPorts = ({ ports }: Host) => ports.filter(isOpen).map(nameOf);
const openServices = ({ services }: Host) => services.filter(isOpen);

async function judgePrometheus(
  world: World,
  path: string,
  hosts: readonly Host[],
): Promise<Fault[]> {
  const groups: { labels: Record<string, string> }[] = await read(world, path);
  const actual = groups.map(({ labels }) => [
    labels["__meta_inventory_id"],
    labels["__meta_inventory_ports"],
    labels["__meta_inventory_services"],
  ]);
  const expected = hosts.map((host) => [
    host.id,
    listed(openPorts(host)),
    listed([...new Set(openServices(host).map((one) => one.service_definition))]),
  ]);
  return faultOf("an export for Prometheus", path, expected.sort(), actual.sort());
}

async function judgeAnsible(world: World, path: string, hosts: readonly Host[]): Promise<Fault[]> {
  const { _meta } = await read(world, path);
  const variables: Record<string, { network_inventory: Record<string, unknown> }> = _meta.hostvars;
  const actual = Object.values(variables).map(({ network_inventory }) => [
    network_inventory["id"],
    network_inventory["ports"],
    network_inventory["services"],
  ]);
  const expected = hosts.map((host) => {
    const names = new Map(host.ports.map((one) => [one.id, nameOf(one)]));
    return [
      host.id,
      openPorts(host),
      openServices(host).map((one) => ({
        name: one.name,
        definition: one.service_definition,
        ports: [
          ...new Set(one.bindings.flatMap(({ port_id }) => names.get(port_id ?? "") ?? [])),
        ].sort(),
      })),
    ];
  });
  return faultOf("an export for Ansible", path, expected.sort(), actual.sort());
}
