import { eq, type SQL, sql } from "drizzle-orm";
import { hasIdOf, partsOf, type Versions, versionsAs } from "../../database/history.ts";
import { neighborProtocols, neighbors } from "../../database/tables/index.ts";
import { choice } from "../../http/input/choice.ts";
import { id } from "../../http/input/id.ts";
import { macAddress } from "../../http/input/network.ts";
import { columnFilter, filter, searchFilter } from "../../http/list/filter.ts";
import { lists } from "../../http/list/list.ts";
import { inventoryFilters } from "../filters.ts";
import { missingInterfaces } from "../guards/missing-parents.ts";
import { neighborKey, neighborTaken, placedRows } from "../guards/natural-keys.ts";
import { partRoutes } from "../part-routes.ts";
import { insertRows, updateRow } from "../writes/child-rows.ts";
import { neighborRow, neighborTable } from "../writes/child-tables.ts";
import { neighborInput } from "./input.ts";
import { neighborResource } from "./model.ts";

const among = (condition: SQL, versions: Versions): SQL =>
  sql`${condition} and ${versionsAs(neighbors, versions)}`;

const hasMac = (mac: string, versions: Versions): SQL => sql`(
  ${among(sql`${neighbors.chassis_value} = ${mac} and ${neighbors.chassis_subtype} = 'MacAddress'`, versions)}
  or ${among(sql`${neighbors.port_value} = ${mac} and ${neighbors.port_subtype} = 'MacAddress'`, versions)})`;

const isPartOf = (column: "host_id" | "interface_id") =>
  filter(id, (owner, versions) => partsOf(neighbors, column, sql`${owner}`, versions), {
    findsFirst: true,
  });

/** GET /api/v1/neighbors: lists the neighbors of interfaces, live or at an instant. */
export const list = lists(neighborResource, {
  ...inventoryFilters(neighbors),
  host_id: isPartOf("host_id"),
  interface_id: isPartOf("interface_id"),
  protocol: columnFilter(choice(neighborProtocols), (protocol) => eq(neighbors.protocol, protocol)),
  mac: filter(macAddress, hasMac),
  q: searchFilter((text, versions) => {
    const parsedId = id.safeParse(text);
    if (parsedId.success) {
      return hasIdOf(neighbors, [parsedId.data], versions);
    }
    const mac = macAddress.safeParse(text);
    // Case-sensitive: behind row-level security, `lower` cannot use an index, since it is not
    // leakproof.
    const columns = [neighbors.system_name, neighbors.chassis_value, neighbors.port_value];
    return mac.success
      ? hasMac(mac.data, versions)
      : sql`(${sql.join(
          columns.map((column) => among(eq(column, text), versions)),
          sql` or `,
        )})`;
  }),
});

/** The other operations on /api/v1/neighbors. */
export const { read, create, createMany, update, patch, patchMany, deleteOne, deleteMany } =
  partRoutes(neighborResource, {
    table: neighborTable,
    body: neighborInput,
    errors: ["entity_reference_invalid", "entity_already_exists"],
    naturalKey: neighborKey,
    guards: (records, pathOf) => [
      ...missingInterfaces(records, pathOf),
      ...neighborTaken(placedRows(records.map(neighborRow), pathOf)),
    ],
    insert: (database, records) => [insertRows(database, neighborTable, records.map(neighborRow))],
    replace: (database, neighbor) => [updateRow(database, neighborTable, neighborRow(neighbor))],
  });
