import { eq, type SQL, sql } from "drizzle-orm";
import { type Instant, partsOf, versionsAs } from "../../database/history.ts";
import { ipAddresses } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { cidr, ipAddress, macAddress } from "../../http/input/network.ts";
import { filter, searches } from "../../http/list/filter.ts";
import { lists } from "../../http/list/list.ts";
import { creates } from "../../http/verbs/create.ts";
import { deletes } from "../../http/verbs/delete.ts";
import { reads } from "../../http/verbs/read.ts";
import { updates } from "../../http/verbs/update.ts";
import { inventoryFilters } from "../filters.ts";
import { missingHosts, missingSubnets } from "../guards/missing-parents.ts";
import { addressKey, addressTaken } from "../guards/natural-keys.ts";
import { otherOwner } from "../guards/other-owner.ts";
import { strangeSubnets } from "../guards/strange-subnets.ts";
import { foundIpAddresses, isWithin } from "../search.ts";
import { insertRows, updateRow } from "../writes/child-rows.ts";
import { addressRow, addressTable } from "../writes/child-tables.ts";
import { violations } from "../writes/violations.ts";
import { ipAddressInput } from "./input.ts";
import { ipAddressResource } from "./model.ts";

const found = (condition: SQL, at: Instant | undefined): SQL =>
  sql`${condition} and ${versionsAs(ipAddresses, at)}`;

/** GET /api/v1/ip-addresses: the addresses of hosts, live or as of an instant. */
export const list = lists(ipAddressResource, {
  ...inventoryFilters(ipAddresses),
  host_id: filter(id, (host, at) => partsOf(ipAddresses, "host_id", sql`${host}`, at), {
    findsFirst: true,
  }),
  subnet_id: filter(id, (subnet, at) => found(eq(ipAddresses.subnet_id, subnet), at)),
  ip: filter(ipAddress, (address, at) => found(sql`${ipAddresses.address} = ${address}::inet`, at)),
  cidr: filter(cidr, (block, at) => found(isWithin(ipAddresses.address, block), at)),
  mac: filter(macAddress, (mac, at) =>
    found(sql`${ipAddresses.mac_address} = ${mac}::macaddr`, at),
  ),
  q: searches(foundIpAddresses),
});

/** GET /api/v1/ip-addresses/{id}: one, live. */
export const read = reads(ipAddressResource);

/**
 * POST /api/v1/ip-addresses: creates one.
 * POST /api/v1/ip-addresses/bulk: creates 1 to 100, all or nothing.
 */
export const [create, createMany] = creates(ipAddressResource, {
  role: "Member",
  scope: "networks",
  body: ipAddressInput,
  errors: ["entity_reference_invalid", "entity_already_exists"],
  violations,
  naturalKey: addressKey,
  create: (_, sent, pathOf) => {
    const rows = sent.map(addressRow);
    const placed = rows.map((row, position) => ({ row, path: pathOf(position) }));
    return {
      guards: [
        ...missingHosts(sent, pathOf),
        ...missingSubnets(sent, pathOf),
        ...strangeSubnets(placed),
        ...addressTaken(placed),
      ],
      write: (database) => [insertRows(database, addressTable, rows)],
    };
  },
});

/**
 * PUT /api/v1/ip-addresses/{id}: replaces one as a whole.
 * PATCH /api/v1/ip-addresses/{id}: changes the fields that are sent.
 */
export const [update, patch] = updates(ipAddressResource, {
  role: "Member",
  scope: "networks",
  body: ipAddressInput,
  errors: ["entity_reference_invalid", "entity_already_exists"],
  violations,
  update: (_, id, sent) => {
    const record = { ...sent, id };
    const row = addressRow(record);
    return {
      guards: [
        otherOwner(ipAddresses, "host_id", id, record.host_id),
        ...missingHosts([record], () => "body."),
        ...missingSubnets([record], () => "body."),
        ...strangeSubnets([{ row, path: "body." }]),
        ...addressTaken([{ row, path: "body." }]),
      ],
      write: (database) => [updateRow(database, addressTable, row)],
    };
  },
});

/**
 * DELETE /api/v1/ip-addresses/{id}: ends one; history stays.
 * POST /api/v1/ip-addresses/bulk-delete: ends up to 1,000, all or nothing.
 */
export const [deleteOne, deleteMany] = deletes(ipAddressResource, {
  role: "Member",
  scope: "networks",
  errors: [],
});
