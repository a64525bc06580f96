import { sql } from "drizzle-orm";
import { externalIdsTaken, externalIdTaken } from "../../database/external-ids.ts";
import type { Guard, PathOf } from "../../database/guards.ts";
import { addressTaken, interfaceTaken, type PlacedRow, portTaken } from "../guards/natural-keys.ts";
import { strangeSubnets } from "../guards/strange-subnets.ts";
import { serviceResource } from "../services/model.ts";
import type { WrittenRow } from "../writes/child-rows.ts";
import { hostResource } from "./model.ts";
import type { HostTree } from "./tree.ts";

/** Rejects hosts and services whose external ids are taken. */
const takenExternalIds = (trees: readonly HostTree[], pathOf: PathOf): Guard[] => {
  const replaced = trees.filter(({ services }) => services !== null);
  const services = replaced.flatMap((tree) => tree.services ?? []);
  return [
    ...externalIdsTaken(
      hostResource,
      trees.map(({ host }) => host),
      pathOf,
    ),
    ...externalIdTaken(
      serviceResource,
      trees.flatMap((tree, position) =>
        (tree.services ?? []).flatMap(({ id, external_id }, at) =>
          external_id === null
            ? []
            : [
                {
                  id,
                  external_id,
                  field: `${pathOf(position)}services[${at}].external_id` as const,
                },
              ],
        ),
      ),
      // A service of the host that the request does not list is deleted.
      sql`(taken.host_id = any (${sql.param(replaced.map(({ host }) => host.id))}::uuid[])
        and taken.id <> all (${sql.param(services.map(({ id }) => id))}::uuid[]))`,
    ),
  ];
};

/**
 * Rejects records whose external id is taken, and children whose natural key is taken or whose
 * subnet does not contain them.
 */
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
    ...takenExternalIds(trees, pathOf),
  ];
};
