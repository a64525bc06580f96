import { expect, test } from "vitest";
import { type Topology, topologySchema } from "../../../src/inventory/topology/model.ts";
import { openApi } from "../../helpers/api.ts";
import { sql } from "../../helpers/database.ts";
import {
  type Inventory,
  inventorySchemas,
  mintEmptyNetwork,
  openInventory,
} from "../../helpers/inventory.ts";
import { limitCases } from "../../helpers/limit-cases.ts";
import { mintKey } from "../../helpers/organization.ts";
import { type Random, randomOf } from "../../model/random.ts";
import { graphOf, type Lists, type Query } from "./graph-of.ts";

const blocks = ["10.0.0.0/24", "10.0.0.0/16", "10.0.1.0/24", "10.1.0.0/24"];

/** An inventory on two networks, with changes and reads that a seed determines. */
async function openWorld(seed: string) {
  const inventory = await openInventory();
  const { organization, network_id, send } = inventory;
  const networks = [network_id, await mintEmptyNetwork(organization.id)];
  const random = randomOf(seed);
  const limited = await mintKey(organization.id, { role: "Viewer" }, [networks[1] ?? ""]);
  const read = async (path: string, key = organization.keys.viewer) => {
    const answer = await openApi().send("GET", `/api/v1/${path}`, { key });
    expect(answer, path).toMatchObject({ status: 200 });
    return { ...answer, data: (answer.body as { data: unknown }).data };
  };
  const listsAt = async (at?: string): Promise<Lists> => {
    const query = `limit=0${at === undefined ? "" : `&at=${at}`}`;
    const [hosts, subnets] = [await read(`hosts?${query}`), await read(`subnets?${query}`)];
    return {
      hosts: inventorySchemas.hosts.array().parse(hosts.data),
      subnets: inventorySchemas.subnets.array().parse(subnets.data),
    };
  };
  const map = async ({ networks: _, ...query }: Query, key?: string) => {
    const parameters = new URLSearchParams(
      Object.entries(query).flatMap(([name, value]) =>
        [value].flat().map((one) => [name, String(one)]),
      ),
    );
    const answer = await read(`topology?${parameters}`, key);
    return { answer, data: topologySchema.parse(answer.data) };
  };
  return { inventory, networks, random, limited, send, listsAt, map };
}

/** Changes something at random; a change that the service rejects is skipped. */
async function change(
  { send, organization }: Inventory,
  random: Random,
  { hosts, subnets }: Lists,
  networks: readonly string[],
): Promise<void> {
  const network_id = random.oneOf(networks);
  const ofNetwork = hosts.filter((host) => host.network_id === network_id);
  const services = ofNetwork.flatMap((host) => host.services);
  const host = random.pick(ofNetwork);
  const address = () => `10.${random.below(2)}.${random.below(3)}.${1 + random.below(250)}`;
  const service_id = () => random.pick(services)?.id ?? null;
  const proxmox = () => ({
    type: "Proxmox",
    details: { vm_name: random.happens(50) ? "vm" : null, vm_id: null, service_id: service_id() },
  });
  const docker = () => ({
    type: "Docker",
    details: {
      container_name: random.happens(50) ? "container" : null,
      container_id: null,
      compose_project: null,
      service_id: service_id(),
    },
  });
  const service = () => {
    const [ip] = host?.ip_addresses ?? [];
    const isContainer = random.happens(40);
    return {
      name: random.oneOf(["Web", "Gateway", "Docker"]),
      ...(isContainer && { virtualization: docker() }),
      bindings: ip && random.happens(70) ? [{ type: "IPAddress", ip_address_id: ip.id }] : [],
    };
  };
  const moves: (() => Promise<unknown> | undefined)[] = [
    () => send("POST", "subnets", { network_id, cidr: random.oneOf(blocks), name: "Floor" }),
    () => {
      const subnet = random.pick(subnets);
      return subnet && random.happens(15) ? send("DELETE", `subnets/${subnet.id}`) : undefined;
    },
    ...Array.from(
      { length: 3 },
      () => () =>
        send("POST", "hosts", {
          network_id,
          name: `host ${random.below(100)}`,
          tags: random.some(organization.tags, 2),
          ip_addresses: Array.from({ length: random.below(4) }, () => ({ ip_address: address() })),
          ...(random.happens(30) && { virtualization: proxmox() }),
        }),
    ),
    ...Array.from(
      { length: 4 },
      () => () => host && send("POST", "services", { host_id: host.id, ...service() }),
    ),
    () => host && send("POST", "ip-addresses", { host_id: host.id, ip_address: address() }),
    () => {
      const moved = random.pick(host?.ip_addresses ?? []);
      return moved && send("PATCH", `ip-addresses/${moved.id}`, { ip_address: address() });
    },
    () => host && send("PATCH", `hosts/${host.id}`, { name: `renamed ${random.below(100)}` }),
    ...Array.from(
      { length: 2 },
      () => () => host && send("PATCH", `hosts/${host.id}`, { virtualization: proxmox() }),
    ),
    () => host && send("PATCH", `hosts/${host.id}`, { tags: random.some(organization.tags, 2) }),
    () => (host && random.happens(25) ? send("DELETE", `hosts/${host.id}`) : undefined),
    () => {
      const ended = random.pick(services.flatMap(({ bindings }) => bindings));
      return ended && send("DELETE", `bindings/${ended.id}`);
    },
    () => {
      const ended = random.pick(services);
      return ended && random.happens(40) ? send("DELETE", `services/${ended.id}`) : undefined;
    },
  ];
  await random.oneOf(moves)();
}

/** The parameters of a map, chosen at random. */
function chooseQuery(random: Random, { hosts, subnets }: Lists, tags: readonly string[]): Query {
  const idOf = (record: { id: string; lineage_id: string | null } | undefined) =>
    record && (record.lineage_id ?? record.id);
  const host_id = random.happens(50) ? idOf(random.pick(hosts)) : undefined;
  const layer = random.happens(40) ? "services" : "l3";
  const subnet_id = random.happens(15) ? idOf(random.pick(subnets)) : undefined;
  const tag = random.happens(15) ? random.pick(tags) : undefined;
  return {
    layer,
    ...(layer === "l3" && host_id === undefined && random.happens(40) && { detail: "subnets" }),
    ...(host_id !== undefined && { host_id, depth: 1 + random.below(6) }),
    ...(subnet_id !== undefined && { subnet_id }),
    ...(tag !== undefined && { tag_ids: [tag] }),
  };
}

/** Creates a host with a gateway service, and a virtual machine that the service runs. */
async function drawOneOfEach({ create }: Inventory): Promise<void> {
  const ip = { id: crypto.randomUUID(), ip_address: "10.0.0.99" };
  const router = await create("hosts", { name: "router", ip_addresses: [ip] });
  const gateway = await create("services", {
    host_id: router.id,
    name: "Gateway",
    service_definition: "Gateway",
    bindings: [{ type: "IPAddress", ip_address_id: ip.id }],
  });
  await create("hosts", {
    name: "machine",
    virtualization: {
      type: "Proxmox",
      details: { vm_name: "machine", vm_id: null, service_id: gateway.id },
    },
  });
}

const steps = 40;

test.each(limitCases(["1", "2", "3", "4", "5"], 1))(
  "a map equals the graph that follows from the lists at the same instant, and the past does not change: seed %s",
  { timeout: 120_000 },
  async (seed) => {
    const { inventory, networks, random, limited, listsAt, map } = await openWorld(seed);
    const instants: string[] = [];
    const seen: { query: Query; etag: string | null; text: string }[] = [];
    const drawn: Record<string, number> = { Address: 0, Gateway: 0, RunsOn: 0 };
    for (const network_id of networks) {
      for (const cidr of blocks) {
        await inventory.create("subnets", { network_id, cidr });
      }
      for (let nth = 0; nth < 3; nth++) {
        const ip_addresses = [{ ip_address: `10.0.0.${nth}` }, { ip_address: `10.1.0.${nth}` }];
        await inventory.create("hosts", { network_id, name: `host ${nth}`, ip_addresses });
      }
    }
    await drawOneOfEach(inventory);
    const countDrawn = (edges: Topology["edges"]) => {
      for (const { type } of edges) {
        drawn[type] = (drawn[type] ?? 0) + 1;
      }
    };
    countDrawn((await map({})).data.edges);
    for (let step = 0; step < steps; step++) {
      const lists = await listsAt();
      await change(inventory, random, lists, networks);
      const [last] = await sql`
        select to_char(max(changed_at), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from transactions
        where organization_id = ${inventory.organization.id}`;
      instants.push(last?.["at"]);

      const now = await listsAt();
      const query = chooseQuery(random, now, inventory.organization.tags);
      const live = await map(query);
      expect(live.data, JSON.stringify(query)).toEqual(graphOf(now, query));
      countDrawn(live.data.edges);

      const at = random.oneOf(instants);
      const then = await listsAt(at);
      const ofPast = { ...chooseQuery(random, then, inventory.organization.tags), at };
      const past = await map(ofPast);
      expect(past.data, JSON.stringify(ofPast)).toEqual(graphOf(then, ofPast));
      seen.push({
        query: ofPast,
        etag: past.answer.headers.get("ETag"),
        text: past.answer.text,
      });

      // A limited key gets the part of the graph that is on its networks.
      const own = await map(ofPast, limited);
      expect(own.data, JSON.stringify(ofPast)).toEqual(
        graphOf(then, { ...ofPast, networks: networks.slice(1) }),
      );
    }
    expect(Object.values(drawn).every((count) => count > 0)).toBe(true);
    for (const { query, etag, text } of seen) {
      const { answer } = await map(query);
      expect(answer.text).toBe(text);
      expect(answer.headers.get("ETag")).toBe(etag);
    }
  },
);
