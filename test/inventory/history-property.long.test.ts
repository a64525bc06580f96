import * as fc from "fast-check";
import { expect, inject, test } from "vitest";
import * as z from "zod";
import { sql } from "../helpers/database.ts";
import {
  type Inventory,
  inventoryCollections,
  openInventory,
  shifted,
} from "../helpers/inventory.ts";

/** Fields that versions do not have, or that have different values in closed versions. */
const unversioned = new Set([
  "updated_at",
  "last_seen_at",
  "seen_last_day",
  "valid_to",
  "lineage_id",
  "hidden",
  "position",
  "tags",
]);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

/**
 * One or more records in a form that is the same for live versions and for versions that have since
 * been closed.
 */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(comparable).sort(byText);
  }
  if (!isRecord(value)) {
    return value;
  }
  const entries = Object.entries(value).filter(([name]) => !unversioned.has(name));
  const fields = Object.fromEntries(entries.map(([name, one]) => [name, comparable(one)]));
  return "id" in value ? { ...fields, id: value["lineage_id"] ?? value["id"] } : fields;
}

type State = Record<(typeof inventoryCollections)[number], Record<string, unknown>[]>;

/** The lists of all kinds with history, live or at a timestamp. */
async function stateOf({ list }: Inventory, at?: string): Promise<State> {
  const lists = await Promise.all(
    inventoryCollections.map(async (name) => [
      name,
      comparable(await list(name, at ? { at } : {})),
    ]),
  );
  return Object.fromEntries(lists);
}

/** The time of the last change to the network's inventory. */
async function lastChange(network_id: string): Promise<string> {
  const [row] = await sql`
    select max(greatest(valid_from, valid_to)) as changed_at from (
      select valid_from, valid_to from subnets where network_id = ${network_id}
      union all select valid_from, valid_to from hosts where network_id = ${network_id}
      union all select valid_from, valid_to from ip_addresses where network_id = ${network_id}
      union all select valid_from, valid_to from ports where network_id = ${network_id}
      union all select valid_from, valid_to from interfaces where network_id = ${network_id}
      union all select valid_from, valid_to from neighbors where network_id = ${network_id}
      union all select valid_from, valid_to from services where network_id = ${network_id}
      union all select valid_from, valid_to from bindings where network_id = ${network_id}) as versions`;
  return new Date(String(row?.["changed_at"])).toISOString();
}

/** Expects every reference in a state to refer to a record in the same state. */
function expectParents(state: State) {
  const ids = (records: Record<string, unknown>[]) => new Set(records.map(({ id }) => id));
  const [hosts, services] = [ids(state.hosts), ids(state.services)];
  const subnets = ids(state.subnets).add(null);
  const ports = ids(state.ports).add(null);
  const addresses = ids(state["ip-addresses"]).add(null);
  for (const { host_id } of [
    ...state["ip-addresses"],
    ...state.ports,
    ...state.interfaces,
    ...state.services,
  ]) {
    expect(hosts).toContain(host_id);
  }
  for (const { ip_address_ids } of state.interfaces) {
    for (const id of z.array(z.string()).parse(ip_address_ids)) {
      expect(addresses).toContain(id);
    }
  }
  for (const { subnet_id } of state["ip-addresses"]) {
    expect(subnets).toContain(subnet_id);
  }
  for (const { service_id, port_id, ip_address_id } of state.bindings) {
    expect(services).toContain(service_id);
    expect(ports).toContain(port_id);
    expect(addresses).toContain(ip_address_id);
  }
  // The children in the list of hosts equal the children in their own lists.
  expect(comparable(state.hosts.flatMap((host) => host["ports"]))).toEqual(state.ports);
  expect(comparable(state.hosts.flatMap((host) => host["interfaces"]))).toEqual(state.interfaces);
  expect(comparable(state.hosts.flatMap((host) => host["ip_addresses"]))).toEqual(
    state["ip-addresses"],
  );
  expect(comparable(state.hosts.flatMap((host) => host["services"]))).toEqual(state.services);
}

const small = fc.nat({ max: 3 });
const action = fc.constantFrom(
  "add host",
  "replace host",
  "rename host",
  "delete host",
  "add port",
  "change port",
  "delete port",
  "add interface",
  "change interface",
  "change address",
  "delete address",
  "rename service",
  "delete service",
  "bind to all",
  "bind to one",
  "delete binding",
  "add subnet",
  "delete subnet",
  "change nothing",
);
const step = fc.record({ action, which: small, value: small });
type Step = { action: string; which: number; value: number };

/**
 * The children of a host: one or two addresses and ports, and a service that binds each port to an
 * address.
 */
function children(value: number) {
  const each = Array.from({ length: 1 + (value % 2) }, (_, at) => ({
    port_id: crypto.randomUUID(),
    ip_address_id: crypto.randomUUID(),
    at,
  }));
  return {
    ip_addresses: each.map(({ ip_address_id: id, at }) => ({
      id,
      ip_address: `203.0.113.${value * 10 + at}`,
      subnet_id: null,
    })),
    ports: each.map(({ port_id: id, at }) => ({ id, number: 80 + value + at, protocol: "Tcp" })),
    interfaces: [
      { if_index: 1 + value, ip_address_ids: each.map(({ ip_address_id }) => ip_address_id) },
    ],
    services: [
      {
        name: `service ${value}`,
        bindings: each.map(({ port_id, ip_address_id }) => ({
          type: "Port",
          port_id,
          ip_address_id,
        })),
      },
    ],
  };
}

/** Sends a step's request for a live record, or does nothing if there is no record to change. */
async function take(inventory: Inventory, live: State, { action: name, which, value }: Step) {
  const { send, network_id } = inventory;
  const pick = (records: Record<string, unknown>[]) => records[which % (records.length || 1)];
  const [host, port, address] = [pick(live.hosts), pick(live.ports), pick(live["ip-addresses"])];
  const one = pick(live.interfaces);
  const [service, binding, subnet] = [pick(live.services), pick(live.bindings), pick(live.subnets)];
  const own = { network_id, name: `host ${value}` };
  switch (name) {
    case "add host":
      return send("POST", "hosts", { ...own, ...children(value) });
    case "replace host":
      return host && send("PUT", `hosts/${host["id"]}`, { ...own, ...children(value) });
    case "rename host":
      return host && send("PUT", `hosts/${host["id"]}`, own);
    case "delete host":
      return host && send("DELETE", `hosts/${host["id"]}`);
    case "add port":
      return (
        host && send("POST", "ports", { host_id: host["id"], number: 90 + value, protocol: "Udp" })
      );
    case "change port":
      return port && send("PUT", `ports/${port["id"]}`, { ...port, number: 70 + value });
    case "delete port":
      return port && send("DELETE", `ports/${port["id"]}`);
    case "add interface":
      return host && send("POST", "interfaces", { host_id: host["id"], if_index: 1 + value });
    case "change interface":
      return one && send("PUT", `interfaces/${one["id"]}`, { ...one, name: `eth${value}` });
    case "change address":
      return (
        address &&
        send("PUT", `ip-addresses/${address["id"]}`, {
          host_id: address["host_id"],
          ip_address: `192.0.2.${value}`,
        })
      );
    case "delete address":
      return address && send("DELETE", `ip-addresses/${address["id"]}`);
    case "rename service":
      return (
        service &&
        send("PUT", `services/${service["id"]}`, { host_id: service["host_id"], name: `n${value}` })
      );
    case "delete service":
      return service && send("DELETE", `services/${service["id"]}`);
    case "bind to all":
    case "bind to one":
      return (
        binding &&
        send("PUT", `bindings/${binding["id"]}`, {
          type: "Port",
          service_id: binding["service_id"],
          port_id: binding["port_id"],
          ip_address_id: name === "bind to all" ? null : address?.["id"],
        })
      );
    case "delete binding":
      return binding && send("DELETE", `bindings/${binding["id"]}`);
    case "add subnet":
      return send("POST", "subnets", { network_id, cidr: `192.0.2.0/${24 + value}` });
    case "delete subnet":
      return subnet && send("DELETE", `subnets/${subnet["id"]}`);
    default:
      return host && send("PUT", `hosts/${host["id"]}`, { ...host, hidden: value === 1 });
  }
}

test("every list at every timestamp equals the live list at that time, regardless of later changes", async () => {
  const plans = fc.array(step, { minLength: 3, maxLength: 8 });
  const seen = new Set<string>();
  const property = fc.asyncProperty(plans, async (plan) => {
    const inventory = await openInventory();
    const recorded = [{ since: "2001-01-01T00:00:00.000Z", state: await stateOf(inventory) }];
    for (const taken of [{ action: "add host", which: 0, value: 1 }, ...plan]) {
      const answer = await take(
        inventory,
        recorded.at(-1)?.state ?? (await stateOf(inventory)),
        taken,
      );
      expect(answer?.status ?? 200, `${taken.action}: ${answer?.text}`).toBeLessThan(500);
      seen.add(`${taken.action} ${answer?.status}`);
      const state = await stateOf(inventory);
      const since = await lastChange(inventory.network_id);
      const last = recorded.at(-1);
      if (last?.since === since) {
        // The same millisecond, or a step that changed nothing.
        recorded.pop();
      }
      recorded.push({ since, state });
      expectParents(state);
      const boundaries = recorded.flatMap(({ since: at }) => [shifted(at, -1), at, shifted(at, 1)]);
      for (const at of boundaries) {
        const then = recorded.findLast((one) => one.since <= at)?.state;
        expect(await stateOf(inventory, at), at).toEqual(then ?? recorded[0]?.state);
      }
    }
  });
  await fc.assert(property, { numRuns: inject("isLong") ? 6 : 2, endOnFailure: true });
  // Check that the steps really change something.
  expect([...seen].filter((one) => /(200|201)$/.test(one)).length).toBeGreaterThan(5);
}, 180_000);
