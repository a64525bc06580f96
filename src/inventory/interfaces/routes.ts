import { eq, type SQL, sql } from "drizzle-orm";
import { hasIdOf, type Instant, partsOf, versionsAs } from "../../database/history.ts";
import { interfaces } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { integer, integerText } from "../../http/input/integer.ts";
import { macAddress } from "../../http/input/network.ts";
import { filter, searchFilter } from "../../http/list/filter.ts";
import { lists } from "../../http/list/list.ts";
import { creates } from "../../http/verbs/create.ts";
import { deletes } from "../../http/verbs/delete.ts";
import { reads } from "../../http/verbs/read.ts";
import { updates } from "../../http/verbs/update.ts";
import { inventoryFilters } from "../filters.ts";
import { strangeAddresses } from "../guards/binding-references.ts";
import { missingHosts } from "../guards/missing-parents.ts";
import { interfaceKey, interfaceTaken } from "../guards/natural-keys.ts";
import { otherOwner } from "../guards/other-owner.ts";
import { insertRows, updateRow } from "../writes/child-rows.ts";
import { interfaceTable } from "../writes/child-tables.ts";
import { violations } from "../writes/violations.ts";
import { interfaceInput } from "./input.ts";
import { interfaceResource } from "./model.ts";

const found = (condition: SQL, at: Instant | undefined): SQL =>
  sql`${condition} and ${versionsAs(interfaces, at)}`;

const isNumbered = (number: number, at: Instant | undefined): SQL =>
  found(sql`${interfaces.if_index} = ${number}`, at);

const hasMac = (mac: string, at: Instant | undefined): SQL =>
  found(sql`${interfaces.mac_address} = ${mac}::macaddr`, at);

/** GET /api/v1/interfaces: the interfaces of hosts, live or as of an instant. */
export const list = lists(interfaceResource, {
  ...inventoryFilters(interfaces),
  host_id: filter(id, (host, at) => partsOf(interfaces, "host_id", sql`${host}`, at), {
    findsFirst: true,
  }),
  if_index: filter(integerText(1), isNumbered),
  mac: filter(macAddress, hasMac),
  q: searchFilter((text, at) => {
    const wanted = id.safeParse(text);
    if (wanted.success) {
      return hasIdOf(interfaces, [wanted.data], at);
    }
    const mac = macAddress.safeParse(text);
    if (mac.success) {
      return hasMac(mac.data, at);
    }
    const number = /^[1-9]\d*$/.test(text) ? integer(1).safeParse(Number(text)) : undefined;
    return number?.success
      ? isNumbered(number.data, at)
      : // As it is: row level security keeps `lower`, which may leak, from being looked up in an index.
        found(eq(interfaces.name, text), at);
  }),
});

/** GET /api/v1/interfaces/{id}: one, live. */
export const read = reads(interfaceResource);

/**
 * POST /api/v1/interfaces: creates one.
 * POST /api/v1/interfaces/bulk: creates 1 to 100, all or nothing.
 */
export const [create, createMany] = creates(interfaceResource, {
  role: "Member",
  scope: "networks",
  body: interfaceInput,
  errors: ["entity_reference_invalid", "entity_already_exists"],
  violations,
  naturalKey: interfaceKey,
  create: (_, sent, pathOf) => ({
    guards: [
      ...missingHosts(sent, pathOf),
      ...strangeAddresses(sent, pathOf),
      ...interfaceTaken(sent.map((row, position) => ({ row, path: pathOf(position) }))),
    ],
    write: (database) => [insertRows(database, interfaceTable, sent)],
  }),
});

/**
 * PUT /api/v1/interfaces/{id}: replaces one as a whole.
 * PATCH /api/v1/interfaces/{id}: changes the fields that are sent.
 */
export const [update, patch] = updates(interfaceResource, {
  role: "Member",
  scope: "networks",
  body: interfaceInput,
  errors: ["entity_reference_invalid", "entity_already_exists"],
  violations,
  update: (_, id, sent) => {
    const record = { ...sent, id };
    return {
      guards: [
        otherOwner(interfaces, "host_id", id, record.host_id),
        ...missingHosts([record], () => "body."),
        ...strangeAddresses([record], () => "body."),
        ...interfaceTaken([{ row: record, path: "body." }]),
      ],
      write: (database) => [updateRow(database, interfaceTable, record)],
    };
  },
});

/**
 * DELETE /api/v1/interfaces/{id}: ends one; history stays.
 * POST /api/v1/interfaces/bulk-delete: ends up to 1,000, all or nothing.
 */
export const [deleteOne, deleteMany] = deletes(interfaceResource, {
  role: "Member",
  scope: "networks",
  errors: [],
});
