import type { ErrorCode } from "../../../src/errors/errors.ts";
import { inventoryCollections } from "../../helpers/inventory.ts";
import type { Client } from "../client.ts";
import * as material from "../material.ts";
import type { Random } from "../random.ts";
import type { Inventory, State, Subnet } from "../state.ts";
import type { Operation } from "./operation.ts";
import {
  editedAddress,
  editedHost,
  editedInterface,
  editedNeighbor,
  editedPort,
  editedService,
  ifMatchOf,
  newAddress,
  newBinding,
  newHost,
  newInterface,
  newNeighbor,
  newPort,
  newService,
  ownData,
  tagsOf,
} from "./sample.ts";

type Collection = keyof Inventory;

/** The possible errors for a record that contradicts stored ones. */
export const refusals: Readonly<Record<Collection, readonly ErrorCode[]>> = {
  subnets: ["entity_already_exists", "entity_in_use"],
  // The subnet of an address may have changed in the meantime.
  hosts: ["entity_already_exists", "entity_in_use", "binding_conflict", "validation_failed"],
  "ip-addresses": ["entity_already_exists", "validation_failed"],
  ports: ["entity_already_exists"],
  interfaces: ["entity_already_exists"],
  neighbors: ["entity_already_exists"],
  services: ["entity_already_exists", "binding_conflict", "validation_failed"],
  bindings: ["binding_conflict"],
};

const networkOf = ({ state, random }: Client) => random.pick(state.others.networks)?.id;

const newSubnet = (random: Random, state: State, network_id: string) => ({
  id: random.id(),
  network_id,
  cidr: random.oneOf(material.blocks),
  ...(random.happens(40) && { name: random.oneOf(material.subnetNames) }),
  tags: tagsOf(state, random),
});

const editedSubnet = (subnet: Subnet, random: Random) => {
  switch (random.below(5)) {
    case 3:
      return { ...subnet, ...ownData(random) };
    case 0:
      return { ...subnet, name: random.oneOf(material.subnetNames) };
    case 1:
      return { ...subnet, cidr: random.oneOf(material.blocks) };
    case 2:
      return { ...subnet, description: random.oneOf(material.subnetNames) };
    default:
      return subnet;
  }
};

/** A new record of a collection, or null if there is no parent for it. */
function newRecord(collection: Collection, client: Client): object | null {
  const { random, state } = client;
  const network = networkOf(client);
  const host = random.pick(state.inventory.hosts);
  if (network === undefined) {
    return null;
  }
  switch (collection) {
    case "subnets":
      return newSubnet(random, state, network);
    case "hosts":
      return newHost(random, state, network);
    case "ip-addresses":
      return host ? { host_id: host.id, ...newAddress(random) } : null;
    case "ports": {
      const port = host && newPort(random, host.ports);
      return port ? { host_id: host.id, ...port } : null;
    }
    case "interfaces": {
      const one = host && newInterface(random, host);
      return one ? { host_id: host.id, ...one } : null;
    }
    case "neighbors": {
      const one = random.pick(state.inventory.interfaces);
      return one ? { interface_id: one.id, ...newNeighbor(random) } : null;
    }
    case "services": {
      const binding = host && newBinding(random, host);
      return host
        ? { host_id: host.id, ...newService(random), bindings: binding ? [binding] : [] }
        : null;
    }
    case "bindings": {
      const service = random.pick(state.inventory.services);
      const owner = state.inventory.hosts.find(({ id }) => id === service?.host_id);
      const binding = owner && newBinding(random, owner);
      return binding && service ? { service_id: service.id, id: random.id(), ...binding } : null;
    }
  }
}

/** A record, either as it was read or with a change; undefined if there are no records. */
export function editedRecord(
  collection: Collection,
  { random, state }: Client,
): { id: string } | undefined {
  const { inventory } = state;
  const hostOf = (id: string) => inventory.hosts.find((host) => host.id === id);
  switch (collection) {
    case "subnets": {
      const subnet = random.pick(inventory.subnets);
      return subnet && editedSubnet(subnet, random);
    }
    case "hosts": {
      const host = random.pick(inventory.hosts);
      return host && editedHost(host, random, state);
    }
    case "ip-addresses": {
      const address = random.pick(inventory["ip-addresses"]);
      return address && editedAddress(address, random, state);
    }
    case "ports": {
      const port = random.pick(inventory.ports);
      return port && editedPort(port, random, hostOf(port.host_id)?.ports ?? []);
    }
    case "interfaces": {
      const one = random.pick(inventory.interfaces);
      return one && editedInterface(one, random, hostOf(one.host_id));
    }
    case "neighbors": {
      const neighbor = random.pick(inventory.neighbors);
      return neighbor && editedNeighbor(neighbor, random);
    }
    case "services": {
      const service = random.pick(inventory.services);
      return service && editedService(service, random, state, hostOf(service.host_id));
    }
    case "bindings": {
      const binding = random.pick(inventory.bindings);
      const service = inventory.services.find(({ id }) => id === binding?.service_id);
      const host = service && hostOf(service.host_id);
      const changed = host && newBinding(random, host);
      return binding && (random.happens(50) && changed ? { ...binding, ...changed } : binding);
    }
  }
}

const operationsOf = (collection: Collection): Operation[] => [
  {
    name: `create one record in ${collection}`,
    weight: collection === "hosts" ? 6 : 3,
    adds: true,
    async run(client) {
      const json = newRecord(collection, client);
      if (json) {
        await client.send({
          method: "POST",
          path: collection,
          json,
          refusals: refusals[collection],
        });
      }
      return json !== null;
    },
  },
  {
    name: `create several records in ${collection}`,
    weight: 2,
    adds: true,
    async run(client) {
      const made = [0, 1, 2].slice(client.random.below(3)).map(() => newRecord(collection, client));
      const json = made.flatMap((record) => (record ? [record] : []));
      if (json.length > 0) {
        await client.send({
          method: "POST",
          path: `${collection}/bulk`,
          json,
          // The records may be identical.
          refusals: [...refusals[collection], "validation_failed"],
        });
      }
      return json.length > 0;
    },
  },
  {
    name: `replace one record in ${collection}`,
    weight: collection === "hosts" ? 8 : 4,
    async run(client) {
      const json = editedRecord(collection, client);
      if (json) {
        const path = `${collection}/${json.id}`;
        await client.send({
          method: "PUT",
          path,
          json,
          ifMatch: ifMatchOf(client.state, path, client.random),
          refusals: refusals[collection],
        });
      }
      return json !== undefined;
    },
  },
  {
    name: `patch several records in ${collection}`,
    weight: 3,
    async run(client) {
      const edited = [0, 1, 2].flatMap(() => editedRecord(collection, client) ?? []);
      const json = [...new Map(edited.map((record) => [record.id, record])).values()];
      if (json.length > 0) {
        await client.send({
          method: "PATCH",
          path: `${collection}/bulk`,
          json,
          // A patch of a host keeps children that no longer fit together.
          refusals: [...refusals[collection], "validation_failed", "entity_reference_invalid"],
        });
      }
      return json.length > 0;
    },
  },
  {
    name: `delete one record in ${collection}`,
    weight: 2,
    async run(client) {
      const record = client.random.pick<{ id: string }>(client.state.inventory[collection]);
      if (record) {
        const path = `${collection}/${record.id}`;
        await client.send({
          method: "DELETE",
          path,
          ifMatch: ifMatchOf(client.state, path, client.random),
          refusals: ["entity_in_use"],
        });
      }
      return record !== undefined;
    },
  },
  {
    name: `delete several records in ${collection}`,
    weight: 1,
    async run(client) {
      const records: readonly { id: string }[] = client.state.inventory[collection];
      const json = client.random.some(records, 3).map(({ id }) => id);
      if (json.length > 0) {
        await client.send({
          method: "POST",
          path: `${collection}/bulk-delete`,
          json,
          refusals: ["entity_in_use"],
        });
      }
      return json.length > 0;
    },
  },
];

/** Creates or replaces the record with an external id that other records may have had. */
const upsertIn = (collection: "subnets" | "hosts" | "services"): Operation => ({
  name: `create or replace by external id in ${collection}`,
  weight: 3,
  adds: true,
  async run(client) {
    const { random, state } = client;
    const external_id = random.oneOf(material.externalIds);
    const records: readonly { external_id: string | null }[] = state.inventory[collection];
    const stored = records.find((one) => one.external_id === external_id);
    const json = stored ?? newRecord(collection, client);
    if (json) {
      await client.send({
        method: "PUT",
        path: `${collection}/by-external-id/${external_id}`,
        json: { ...json, external_id, metadata: random.oneOf(material.metadata) },
        refusals: refusals[collection],
      });
    }
    return json !== null;
  },
});

const takeAvailableAddresses: Operation = {
  name: "assign available addresses of a subnet",
  weight: 2,
  adds: true,
  async run({ random, state, send }) {
    const subnet = random.pick(state.inventory.subnets);
    const host = random.pick(
      state.inventory.hosts.filter(({ network_id }) => network_id === subnet?.network_id),
    );
    if (subnet && host) {
      await send({
        method: "POST",
        path: `subnets/${subnet.id}/available-ips`,
        json: { host_id: host.id, count: 1 + random.below(3) },
        refusals: ["subnet_full", "request_conflict"],
      });
    }
    return subnet !== undefined && host !== undefined;
  },
};

/** The operations on the inventory collections. */
export const recordOperations: readonly Operation[] = [
  takeAvailableAddresses,
  ...inventoryCollections.flatMap(operationsOf),
  ...(["subnets", "hosts", "services"] as const).map(upsertIn),
];

/** Deletes many hosts at once. A walk does this when the inventory is large enough. */
export const deleteManyHosts: Operation = {
  name: "delete many hosts",
  weight: 0,
  async run(client) {
    const hosts = client.state.inventory.hosts;
    const json = client.random.some(hosts, hosts.length).map(({ id }) => id);
    if (json.length > 0) {
      await client.send({
        method: "POST",
        path: "hosts/bulk-delete",
        json,
        refusals: ["entity_in_use"],
      });
    }
    return json.length > 0;
  },
};
