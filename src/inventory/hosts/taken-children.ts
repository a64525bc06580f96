import type { Guard } from "../../database/guards.ts";
import { addressTaken, childIdTaken, type PlacedRow, portTaken } from "../natural-keys.ts";
import type { WrittenRow } from "../rows.ts";
import { addressTable, bindingTable, portTable, serviceTable } from "../tables.ts";
import type { HostTree } from "./sql.ts";

/** A child of a host has the id, or the natural key, of another record. */
export const takenChildren = (
  trees: readonly HostTree[],
  pathOf: (position: number) => string,
): Guard[] => {
  const placedOf = (kind: string, rowsOf: (tree: HostTree) => readonly WrittenRow[] | null) =>
    trees.flatMap((tree, position) =>
      (rowsOf(tree) ?? []).map(
        (row, index): PlacedRow => ({
          row: { ...row, network_id: tree.host.network_id },
          path: `${pathOf(position)}${kind}[${index}].`,
        }),
      ),
    );
  const addresses = placedOf("ip_addresses", (tree) => tree.ip_addresses);
  const ports = placedOf("ports", (tree) => tree.ports);
  const services = placedOf("services", (tree) => tree.services);
  return [
    ...childIdTaken(addressTable, "IPAddress", addresses),
    ...childIdTaken(portTable, "Port", ports),
    ...childIdTaken(serviceTable, "Service", services),
    ...childIdTaken(
      bindingTable,
      "Binding",
      trees.flatMap(({ bindings }, position) =>
        bindings.rows.map((row) => ({ row, path: `${pathOf(position)}services.bindings.` })),
      ),
    ),
    ...addressTaken(addresses, { isWhole: true }),
    ...portTaken(ports, { isWhole: true }),
  ];
};
