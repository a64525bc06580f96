import { eq, type SQL, sql } from "drizzle-orm";
import { hasIdOf, partsOf, type Versions, versionsAs } from "../../database/history.ts";
import { ports, transportProtocols } from "../../database/tables/index.ts";
import { choice } from "../../http/input/choice.ts";
import { id } from "../../http/input/id.ts";
import { integerText } from "../../http/input/integer.ts";
import { filter, searchFilter } from "../../http/list/filter.ts";
import { lists } from "../../http/list/list.ts";
import { inventoryFilters } from "../filters.ts";
import { missingHosts } from "../guards/missing-parents.ts";
import { placedRows, portKey, portTaken } from "../guards/natural-keys.ts";
import { openFilter } from "../is-open.ts";
import { partRoutes } from "../part-routes.ts";
import { typedPort } from "../search.ts";
import { insertRows, updateRow } from "../writes/child-rows.ts";
import { portTable } from "../writes/child-tables.ts";
import { portInput } from "./input.ts";
import { portResource } from "./model.ts";

const isNumbered = (number: number, versions: Versions): SQL =>
  sql`${ports.number} = ${number} and ${versionsAs(ports, versions)}`;

/** GET /api/v1/ports: lists the ports of hosts, live or at an instant. */
export const list = lists(portResource, {
  ...inventoryFilters(ports),
  host_id: filter(id, (host, versions) => partsOf(ports, "host_id", sql`${host}`, versions), {
    findsFirst: true,
  }),
  number: filter(integerText(1, 65_535), isNumbered),
  protocol: filter(choice(transportProtocols), (protocol) => eq(ports.protocol, protocol)),
  is_open: openFilter("port_id", ports.live_id),
  q: searchFilter((text, versions) => {
    const { data, success } = id.safeParse(text);
    if (success) {
      return hasIdOf(ports, [data], versions);
    }
    const port = typedPort(text);
    return port === null
      ? sql`false`
      : sql`${ports.number} = ${port.number} and ${versionsAs(ports, versions)}${
          port.protocol === null ? sql`` : sql` and ${ports.protocol} = ${port.protocol}`
        }`;
  }),
});

/** The other operations on /api/v1/ports. */
export const { read, create, createMany, update, patch, patchMany, deleteOne, deleteMany } =
  partRoutes(portResource, {
    table: portTable,
    body: portInput,
    errors: ["entity_reference_invalid", "entity_already_exists"],
    naturalKey: portKey,
    guards: (records, pathOf) => [
      ...missingHosts(records, pathOf),
      ...portTaken(placedRows(records, pathOf)),
    ],
    insert: (database, records) => [insertRows(database, portTable, records)],
    replace: (database, port) => [updateRow(database, portTable, port)],
  });
