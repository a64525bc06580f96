import { type SQL, sql } from "drizzle-orm";
import { partsOf, versionsAs } from "../../database/history.ts";
import { bindings, ports } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { filter, searchFilter } from "../../http/list/filter.ts";
import { lists } from "../../http/list/list.ts";
import { inventoryFilters } from "../filters.ts";
import { strangeToService } from "../guards/binding-references.ts";
import { missingServices } from "../guards/missing-parents.ts";
import { partRoutes } from "../part-routes.ts";
import { foundServices, isAnyOf, isPort, typedPort } from "../search.ts";
import { insertRows, updateRow } from "../writes/child-rows.ts";
import { bindingTable } from "../writes/child-tables.ts";
import { bindingInput } from "./input.ts";
import { bindingResource } from "./model.ts";
import { deleteReplaced } from "./replaced.ts";

type ReferenceColumn = "service_id" | "port_id" | "ip_address_id";

/** Creates a filter by a record that bindings refer to. */
const refersTo = (column: ReferenceColumn) =>
  filter(id, (record, versions) => partsOf(bindings, column, sql`${record}`, versions), {
    findsFirst: true,
  });

const { ids, network_id, ...seen } = inventoryFilters(bindings);

/** GET /api/v1/bindings: lists bindings, live or at an instant (API contract, section 5). */
export const list = lists(bindingResource, {
  ids,
  q: searchFilter((text, versions) => {
    const of = (column: ReferenceColumn, records: SQL) => sql`
      select own.id from ${bindings} as own
      where own.${sql.identifier(column)} in (${records}) and ${versionsAs("own", versions)}`;
    const { data } = id.safeParse(text);
    const port = typedPort(text);
    return isAnyOf(bindings, [
      of(
        "service_id",
        sql`select service.live_id from ${foundServices(text, versions)} as service`,
      ),
      ...(port === null
        ? []
        : [
            of(
              "port_id",
              sql`select port.live_id from ${ports} as port
                where ${isPort(port)} and ${versionsAs("port", versions)}`,
            ),
          ]),
      ...(data === undefined
        ? []
        : [
            sql`select own.id from ${bindings} as own
              where own.live_id = ${data} and ${versionsAs("own", versions)}`,
            of("port_id", sql`${data}`),
            of("ip_address_id", sql`${data}`),
          ]),
    ]);
  }),
  service_id: refersTo("service_id"),
  network_id,
  port_id: refersTo("port_id"),
  ip_address_id: refersTo("ip_address_id"),
  host_id: filter(
    id,
    (host, versions) =>
      versions.kind === "live"
        ? sql`${bindings.live_host_id} = ${host}`
        : // Versions that were closed before bindings had a host id do not have one.
          sql`${bindings.service_id} in (
            select service.live_id from services as service
            where service.host_id = ${host} and ${versionsAs("service", versions)})`,
    { findsFirst: true },
  ),
  ...seen,
});

/** The other operations on /api/v1/bindings. */
export const { read, create, createMany, update, patch, patchMany, deleteOne, deleteMany } =
  partRoutes(bindingResource, {
    table: bindingTable,
    body: bindingInput,
    errors: ["entity_reference_invalid", "binding_conflict"],
    guards: (records, pathOf) => [
      ...missingServices(records, pathOf),
      ...strangeToService(
        records.map((binding, position) => ({ ...binding, path: pathOf(position) })),
      ),
    ],
    insert: (database, records) => [
      deleteReplaced(database, records),
      insertRows(database, bindingTable, records),
    ],
    replace: (database, binding) => [
      deleteReplaced(database, [binding]),
      updateRow(database, bindingTable, binding),
    ],
  });
