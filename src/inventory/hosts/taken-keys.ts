import type { Guard, PathOf } from "../../database/guards.ts";
import { addressTaken, interfaceTaken, type PlacedRow, portTaken } from "../guards/natural-keys.ts";
import { strangeSubnets } from "../guards/strange-subnets.ts";
import type { WrittenRow } from "../writes/child-rows.ts";
import type { HostTree } from "./tree.ts";

/** Rejects children whose natural key is already taken, or whose subnet does not contain them. */
export const takenKeys = (trees: readonly HostTree[], pathOf: PathOf): Guard[] => {
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
  const interfaces = placedOf("interfaces", (tree) => tree.interfaces);
  return [
    ...strangeSubnets(addresses),
    ...addressTaken(addresses, { isWhole: true }),
    ...portTaken(ports, { isWhole: true }),
    ...interfaceTaken(interfaces, { isWhole: true }),
  ];
};
