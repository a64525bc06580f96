import { eq, type SQL, sql } from "drizzle-orm";
import { hasIdOf, type Instant, partsOf, versionsAs } from "../../database/history.ts";
import { ports, transportProtocols } from "../../database/tables/index.ts";
import { choice } from "../../http/input/choice.ts";
import { id } from "../../http/input/id.ts";
import { integerText } from "../../http/input/integer.ts";
import { filter, searchFilter } from "../../http/list/filter.ts";
import { lists } from "../../http/list/list.ts";
import { creates } from "../../http/verbs/create.ts";
import { deletes } from "../../http/verbs/delete.ts";
import { reads } from "../../http/verbs/read.ts";
import { updates } from "../../http/verbs/update.ts";
import { inventoryFilters } from "../filters.ts";
import { missingHosts } from "../guards/missing-parents.ts";
import { portKey, portTaken } from "../guards/natural-keys.ts";
import { otherOwner } from "../guards/other-owner.ts";
import { openFilter } from "../is-open.ts";
import { insertRows, updateRow } from "../writes/child-rows.ts";
import { portTable } from "../writes/child-tables.ts";
import { violations } from "../writes/violations.ts";
import { portInput } from "./input.ts";
import { portResource } from "./model.ts";

const isNumbered = (number: number, at: Instant | undefined): SQL =>
  sql`${ports.number} = ${number} and ${versionsAs(ports, at)}`;

/** GET /api/v1/ports: the ports of hosts, live or as of an instant. */
export const list = lists(portResource, {
  ...inventoryFilters(ports),
  host_id: filter(id, (host, at) => partsOf(ports, "host_id", sql`${host}`, at), {
    findsFirst: true,
  }),
  number: filter(integerText(1, 65_535), isNumbered),
  protocol: filter(choice(transportProtocols), (protocol) => eq(ports.protocol, protocol)),
  is_open: openFilter("port_id", ports.live_id),
  q: searchFilter((text, at) => {
    const { data, success } = id.safeParse(text);
    if (success) {
      return hasIdOf(ports, [data], at);
    }
    return /^[1-9]\d{0,4}$/.test(text) ? isNumbered(Number(text), at) : sql`false`;
  }),
});

/** GET /api/v1/ports/{id}: one, live. */
export const read = reads(portResource);

/**
 * POST /api/v1/ports: creates one.
 * POST /api/v1/ports/bulk: creates 1 to 100, all or nothing.
 */
export const [create, createMany] = creates(portResource, {
  role: "Member",
  scope: "networks",
  body: portInput,
  errors: ["entity_reference_invalid", "entity_already_exists"],
  violations,
  naturalKey: portKey,
  create: (_, sent, pathOf) => ({
    guards: [
      ...missingHosts(sent, pathOf),
      ...portTaken(sent.map((row, position) => ({ row, path: pathOf(position) }))),
    ],
    write: (database) => [insertRows(database, portTable, sent)],
  }),
});

/**
 * PUT /api/v1/ports/{id}: replaces one as a whole.
 * PATCH /api/v1/ports/{id}: changes the fields that are sent.
 */
export const [update, patch] = updates(portResource, {
  role: "Member",
  scope: "networks",
  body: portInput,
  errors: ["entity_reference_invalid", "entity_already_exists"],
  violations,
  update: (_, id, sent) => {
    const record = { ...sent, id };
    return {
      guards: [
        otherOwner(ports, "host_id", id, record.host_id),
        ...missingHosts([record], () => "body."),
        ...portTaken([{ row: record, path: "body." }]),
      ],
      write: (database) => [updateRow(database, portTable, record)],
    };
  },
});

/**
 * DELETE /api/v1/ports/{id}: ends one; history stays.
 * POST /api/v1/ports/bulk-delete: ends up to 1,000, all or nothing.
 */
export const [deleteOne, deleteMany] = deletes(portResource, {
  role: "Member",
  scope: "networks",
  errors: [],
});
