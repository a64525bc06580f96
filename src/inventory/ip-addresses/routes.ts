import { eq, type SQL, sql } from "drizzle-orm";
import { partsOf, type Versions, versionsAs } from "../../database/history.ts";
import { addressRoles, addressStatuses, ipAddresses } from "../../database/tables/index.ts";
import { choice } from "../../http/input/choice.ts";
import { id } from "../../http/input/id.ts";
import { cidr, ipAddress, macAddress } from "../../http/input/network.ts";
import { filter, searches } from "../../http/list/filter.ts";
import { lists } from "../../http/list/list.ts";
import { inventoryFilters } from "../filters.ts";
import { missingHosts, missingSubnets } from "../guards/missing-parents.ts";
import { addressKey, addressTaken, placedRows } from "../guards/natural-keys.ts";
import { strangeSubnets } from "../guards/strange-subnets.ts";
import { partRoutes } from "../part-routes.ts";
import { foundIpAddresses, isWithin } from "../search.ts";
import { insertRows, updateRow } from "../writes/child-rows.ts";
import { addressRow, addressTable } from "../writes/child-tables.ts";
import { ipAddressInput } from "./input.ts";
import { ipAddressResource } from "./model.ts";

const among = (condition: SQL, versions: Versions): SQL =>
  sql`${condition} and ${versionsAs(ipAddresses, versions)}`;

/** GET /api/v1/ip-addresses: lists the addresses of hosts, live or at an instant. */
export const list = lists(ipAddressResource, {
  ...inventoryFilters(ipAddresses),
  host_id: filter(id, (host, versions) => partsOf(ipAddresses, "host_id", sql`${host}`, versions), {
    findsFirst: true,
  }),
  subnet_id: filter(id, (subnet, versions) => among(eq(ipAddresses.subnet_id, subnet), versions)),
  ip: filter(ipAddress, (address, versions) =>
    among(sql`${ipAddresses.address} = ${address}::inet`, versions),
  ),
  cidr: filter(cidr, (block, versions) => among(isWithin(ipAddresses.address, block), versions)),
  mac: filter(macAddress, (mac, versions) =>
    among(sql`${ipAddresses.mac_address} = ${mac}::macaddr`, versions),
  ),
  status: filter(choice(addressStatuses), (status, versions) =>
    among(eq(ipAddresses.status, status), versions),
  ),
  role: filter(choice(addressRoles), (role, versions) =>
    among(eq(ipAddresses.role, role), versions),
  ),
  q: searches(foundIpAddresses),
});

/** The other operations on /api/v1/ip-addresses. */
export const { read, create, createMany, update, patch, patchMany, deleteOne, deleteMany } =
  partRoutes(ipAddressResource, {
    table: addressTable,
    body: ipAddressInput,
    errors: ["entity_reference_invalid", "entity_already_exists"],
    naturalKey: addressKey,
    guards: (records, pathOf) => {
      const placed = placedRows(records.map(addressRow), pathOf);
      return [
        ...missingHosts(records, pathOf),
        ...missingSubnets(records, pathOf),
        ...strangeSubnets(placed),
        ...addressTaken(placed),
      ];
    },
    insert: (database, records) => [insertRows(database, addressTable, records.map(addressRow))],
    replace: (database, address) => [updateRow(database, addressTable, addressRow(address))],
  });
