import {
  type Guard,
  missingReferences,
  type PathOf,
  type Reference,
} from "../../database/guards.ts";
import { strangeAddressesOfHosts, strangeToHosts } from "../guards/binding-references.ts";
import { takenIds } from "../guards/taken-ids.ts";
import { missingVirtualizationServices } from "../guards/virtualization.ts";
import type { WrittenRow } from "../writes/child-rows.ts";
import {
  addressTable,
  bindingTable,
  interfaceTable,
  portTable,
  serviceTable,
} from "../writes/child-tables.ts";
import type { HostTree } from "./tree.ts";

/** Rejects references from hosts to records that are missing or belong to other owners. */
export const foreignReferences = (trees: readonly HostTree[], pathOf: PathOf): Guard[] => {
  const references = (
    referencesOf: (tree: HostTree) => readonly { id: unknown; field: string }[],
  ) =>
    trees.flatMap((tree, position) =>
      referencesOf(tree).flatMap(({ id, field }): Reference[] =>
        typeof id === "string" ? [{ id, field: `${pathOf(position)}${field}` }] : [],
      ),
    );
  return [
    ...missingReferences(
      "Network",
      references(({ host }) => [{ id: host.network_id, field: "network_id" }]),
    ),
    ...missingReferences(
      "Tag",
      references(({ host, services }) => [
        ...host.tags.map((id) => ({ id, field: "tags" })),
        ...(services ?? []).flatMap((service, at) =>
          service.tags.map((id) => ({ id, field: `services[${at}].tags` })),
        ),
      ]),
    ),
    ...missingReferences(
      "Subnet",
      references(({ ip_addresses }) =>
        (ip_addresses ?? []).map(({ subnet_id: id }, at) => ({
          id,
          field: `ip_addresses[${at}].subnet_id`,
        })),
      ),
    ),
    ...takenChildren(trees, pathOf),
    ...strangeBindings(trees, pathOf),
    ...strangeAddresses(trees, pathOf),
    ...strangeVirtualizations(trees, pathOf),
  ];
};

const locationOf = ({ id, network_id }: HostTree["host"]) =>
  network_id === undefined ? { host_id: id } : { network_id };

/** Rejects a host or service that is virtualized by a service on another network. */
const strangeVirtualizations = (
  trees: readonly HostTree[],
  pathOf: (position: number) => string,
) => {
  const services = trees.flatMap(({ host, services: own }, position) =>
    (own ?? []).map(({ id, virtualization }, at) => ({
      id,
      virtualization,
      ...locationOf(host),
      path: `${pathOf(position)}services[${at}].`,
    })),
  );
  const hosts = trees.map(({ host }, position) => ({
    id: host.id,
    virtualization: host.virtualization,
    ...locationOf(host),
    path: pathOf(position),
  }));
  return missingVirtualizationServices([...hosts, ...services], {
    sent: services.map(({ virtualization: _, path: __, ...service }) => service),
    replacedHosts: trees.flatMap(({ host, services: own }) => (own ? [host.id] : [])),
  });
};

/** Rejects children that have the id of another host's record. */
const takenChildren = (trees: readonly HostTree[], pathOf: PathOf) => {
  const hostIds = trees.map(({ host }) => host.id);
  const childrenOf = (field: "ip_addresses" | "ports" | "interfaces" | "services") =>
    trees.flatMap((tree, position) =>
      (tree[field] ?? []).map(
        ({ id }, at): Reference => ({ id, field: `${pathOf(position)}${field}[${at}].id` }),
      ),
    );
  return [
    ...takenIds(addressTable, hostIds, childrenOf("ip_addresses")),
    ...takenIds(portTable, hostIds, childrenOf("ports")),
    ...takenIds(interfaceTable, hostIds, childrenOf("interfaces")),
    ...takenIds(serviceTable, hostIds, childrenOf("services")),
    ...takenIds(
      bindingTable,
      trees.flatMap(({ bindings }) => bindings.services),
      trees.flatMap(({ bindings }, position) =>
        bindings.rows.map(
          ({ id }, at): Reference => ({ id, field: `${pathOf(position)}${bindings.paths[at]}id` }),
        ),
      ),
    ),
  ];
};

const idsOf = (rows: readonly WrittenRow[] | null) => rows?.map(({ id }) => id) ?? null;

/** Rejects services' bindings to ports and addresses of other hosts. */
const strangeBindings = (trees: readonly HostTree[], pathOf: PathOf) =>
  strangeToHosts(
    trees.map(({ host, ip_addresses, ports, bindings }, position) => ({
      host_id: host.id,
      sent: bindings.rows.map((binding, at) => ({
        ...binding,
        path: `${pathOf(position)}${bindings.paths[at]}` as const,
      })),
      ports: idsOf(ports),
      ip_addresses: idsOf(ip_addresses),
    })),
  );

/** Rejects interfaces with addresses of other hosts. */
const strangeAddresses = (trees: readonly HostTree[], pathOf: PathOf) =>
  strangeAddressesOfHosts(
    trees.map(({ host, ip_addresses, interfaces }, position) => ({
      host_id: host.id,
      sent: (interfaces ?? []).map(({ ip_address_ids }, at) => ({
        ip_address_ids,
        path: `${pathOf(position)}interfaces[${at}].` as const,
      })),
      ip_addresses: idsOf(ip_addresses),
    })),
  );
